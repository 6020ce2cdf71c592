package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.image.ImageVectors;
import io.millrace.python.PythonWithNumpy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
    @TempDir
    Path root;

    @BeforeEach
    void photos() throws Exception {
        Path cats = Files.createDirectories(root.resolve("photos/cat"));
        Files.write(cats.resolve("1.jpg"), ImageVectors.file("decode/rgb420.jpg"));
        Files.write(cats.resolve("2.jpg"), "<html>".getBytes(StandardCharsets.US_ASCII));
        Files.writeString(root.resolve("photos.yaml"), """
                name: photos
                dataset: {format: folder, path: %1$s/photos}
                transforms: [decode]
                train: {model: none}
                run: {folder: %1$s/runs}
                """.formatted(root));
    }

    @Test
    void aFolderAndAPipelineAreComparedWithPython() throws Exception {
        String python = PythonWithNumpy.find().orElse("");
        assumeTrue(!python.isEmpty() && PythonWithNumpy.has(python, "PIL"), "no Python 3.9 with numpy and Pillow");
        for (String place : new String[] {"photos", "photos.yaml"}) {
            CommandRun run =
                    CommandRun.of("inspect", root.resolve(place).toString(), "--compare-with", python, "--json");

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err()).contains("refused by");
            JsonNode images = run.json().path("kinds").path("image");
            assertThat(images.path("files").asInt()).isEqualTo(2);
            assertThat(images.path("equal").asInt()).isEqualTo(1);
            assertThat(images.path("refused_by_both").asInt()).isEqualTo(1);
        }
    }

    @Test
    void dataAreInspectedWithoutAPipelineFile() throws Exception {
        Path lines = Files.writeString(root.resolve("a.jsonl"), "{\"text\": \"one document\"}\n{\"text\": 5}\n");
        CommandRun jsonl = CommandRun.of("inspect", lines.toString());
        assertThat(jsonl.exitCode()).as(jsonl.err()).isZero();
        assertThat(jsonl.out())
                .contains("dataset for training: jsonl " + lines, "a.jsonl#0", "(" + lines + ":2 at offset 25)");
        Path paragraphs = Files.writeString(root.resolve("a.txt"), "one\n\ntwo\n");
        CommandRun text = CommandRun.of("inspect", paragraphs.toString(), "--set", "dataset.separator=\"\\n\\n\"");
        assertThat(text.exitCode()).as(text.err()).isZero();
        assertThat(text.out()).contains("dataset for training: text " + paragraphs, "samples      2", "a.txt#1");
        CommandRun photos = CommandRun.of("inspect", root.resolve("photos").toString());
        assertThat(photos.exitCode()).as(photos.err()).isZero();
        assertThat(photos.out()).contains("cat/1.jpg");
    }

    @Test
    void aCheckOfAnotherFormatNamesTheScan() {
        CommandRun.of("inspect", root.resolve("photos.yaml").toString(), "--check")
                .fails(2, "expected a dataset of the format python, found folder", "--scan lists the bad samples");
    }

    @Test
    void hashesArePrintedOnRequest() {
        String file = root.resolve("photos.yaml").toString();
        assertThat(CommandRun.of("inspect", file).out())
                .doesNotContain("sha256")
                .contains("cat/1.jpg");
        assertThat(CommandRun.of("inspect", file, "--verbose").out()).contains("sha256 of the decoded pixels");
        assertThat(CommandRun.of("inspect", file, "--json").out()).contains("pixels_sha256");
    }

    @Test
    void aComparisonNeedsFilesAndAnInterpreter() {
        CommandRun.of("inspect", root.resolve("nothing").toString(), "--compare-with", "python3")
                .fails(2, "no such file or folder: ");
        CommandRun.of("inspect", root.toString(), "--compare-with", "/no/python")
                .fails(2, "--compare-with: expected the command of a Python interpreter", "found '/no/python'");
    }
}

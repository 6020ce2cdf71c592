package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs on images of which the first, a middle and the last sample begin like no image. */
class UnlikeSamplesITCase {
    private static final Path VECTORS = Path.of("../operators/src/test/resources/vectors/dataset/unlike");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"tar, images.tar", "parquet, images.parquet"})
    void aRunQuarantinesSuchSamplesAndThePreviewShowsTheOthers(String format, String file) throws Exception {
        Path runs = folder.resolve("runs");
        // A copy, because an index is written beside a tar.
        Path images = Files.copy(VECTORS.resolve(file), folder.resolve(file));
        Path pipeline = Files.writeString(folder.resolve("unlike.yaml"), """
                dataset: { format: %s, path: %s, epochs: 2 }
                order: { shuffle: none }
                transforms: [ decode, Resize: { size: [8, 8] }, RandomHorizontalFlip ]
                batch: { size: 2, max_quarantined: 1.0 }
                train: { model: none }
                run: { folder: %s, web_port: 0 }
                """.formatted(format, images, runs));

        CommandRun train = CommandRun.of("train", pipeline.toString());
        assertThat(train.exitCode()).as(train.err()).isZero();
        assertThat(train.out()).contains("finished 8 samples", "3 bad samples (quarantine.jsonl)");
        List<String> reasons = new ArrayList<>();
        for (String line : Files.readAllLines(CommandRun.folder(runs).resolve("quarantine.jsonl"))) {
            reasons.add(new ObjectMapper().readTree(line).required("reason").asText());
        }
        assertThat(reasons)
                .hasSize(3)
                .allMatch(reason -> reason.startsWith(
                        "expected an image (JPEG, PNG, BMP, GIF, WebP, TIFF or PNM) as 'image', found "))
                .anyMatch(reason -> reason.endsWith("44 bytes that begin like HTML"));

        CommandRun preview = CommandRun.of(
                "preview",
                pipeline.toString(),
                "--out",
                folder.resolve("sheet.png").toString());
        assertThat(preview.exitCode()).as(preview.err()).isZero();
    }
}

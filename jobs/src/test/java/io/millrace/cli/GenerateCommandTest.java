package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class GenerateCommandTest {
    @TempDir
    Path root;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new GenerateCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    @Test
    void resultIsOneLineOfJson() throws IOException {
        Path folder = root.resolve("photos");
        assertThat(run(
                        "photos",
                        folder.toString(),
                        "--count",
                        "4",
                        "--size",
                        "64x48",
                        "--classes",
                        "2",
                        "--bad",
                        "2",
                        "--seed",
                        "9",
                        "--json"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().strip()).doesNotContain("\n");
        JsonNode result = new ObjectMapper().readTree(out.toString());
        assertThat(result.get("images").asInt()).isEqualTo(4);
        assertThat(result.get("counts").toString()).isEqualTo("{\"desert\":2,\"meadow\":2}");
        assertThat(result.get("options").get("seed").asLong()).isEqualTo(9);
        assertThat(result.get("bad").get(1).get("file").asText()).isEqualTo("desert/bad-corrupt-1.jpg");
        assertThat(result.get("made").asBoolean()).isTrue();
        assertThat(folder.resolve("meadow/000000.jpg")).exists();
        assertThat(err.toString()).contains(": 4 images, 2 bad files, ");
    }

    @Test
    void secondRunDoesNothingAndForceGeneratesAgain() {
        String folder = root.resolve("digits").toString();
        String[] arguments = {"digits", folder, "--train", "20", "--test", "10"};
        assertThat(run(arguments)).isZero();
        assertThat(run(arguments)).isZero();
        assertThat(err.toString()).contains("already holds this data, complete");
        assertThat(out.toString()).isEmpty();
        assertThat(run("digits", folder, "--train", "30", "--test", "10")).isEqualTo(2);
        assertThat(run("digits", folder, "--train", "30", "--test", "10", "--force"))
                .isZero();
        assertThat(Path.of(folder, "train-labels-idx1-ubyte")).hasSize(38);
    }

    @ParameterizedTest
    @CsvSource({
        "--count, 0, 'count': expected 1 to",
        "--count, many, 'count': expected a whole number",
        "--size, 0x5, 'size': expected WIDTHxHEIGHT",
        "--size, 500, 'size': expected WIDTHxHEIGHT",
        "--classes, 11, 'classes': expected 1 to 10",
        "--count, 9, 'classes': expected at most as many as count",
        "--quality, 101, 'quality': expected 1 to 100",
        "--bad, -1, 'bad': expected 0 to",
        "--restart, 0, 'restart': expected 1 to 65535",
        "--restart, -1, 'restart': expected 1 to 65535",
        "--restart, x, 'restart': expected a whole number",
        "--restart, 70000, 'restart': expected 1 to 65535",
    })
    void badOptionIsReportedInASentenceWithExitCode2(String option, String value, String sentence) {
        Path folder = root.resolve("none");
        assertThat(run("photos", folder.toString(), option, value)).isEqualTo(2);
        assertThat(err.toString().replace("'", "")).contains(sentence.replace("'", ""));
        assertThat(err.toString().strip()).doesNotContain("\n");
        assertThat(folder).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "--documents, 0, 'documents': expected 1 to 10000000",
        "--documents, few, 'documents': expected a whole number",
        "--length, 0, 'length': expected 1 to 1000000",
        "--length, -3, 'length': expected 1 to 1000000",
        "--seed, x, 'seed': expected a whole number",
    })
    void badOptionOfATextIsReportedInASentenceWithExitCode2(String option, String value, String sentence) {
        Path folder = root.resolve("none");
        assertThat(run("text", folder.toString(), option, value)).isEqualTo(2);
        assertThat(err.toString().replace("'", "")).contains(sentence.replace("'", ""));
        assertThat(folder).doesNotExist();
    }

    @Test
    void resultOfATextCountsDocuments() throws IOException {
        String folder = root.resolve("text").toString();
        assertThat(run("text", folder, "--documents", "12", "--length", "40", "--json"))
                .as(err.toString())
                .isZero();
        assertThat(err.toString()).contains(": 12 documents, 0 bad files, ");
        JsonNode result = new ObjectMapper().readTree(out.toString());
        assertThat(result.required("documents").asInt()).isEqualTo(12);
        assertThat(result.has("images")).isFalse();
        assertThat(Files.readAllLines(Path.of(folder, "documents.jsonl"))).hasSize(12);
    }

    @Test
    void folderWithOtherFilesIsNotChanged() throws IOException {
        Files.writeString(root.resolve("letter.txt"), "Dear all");
        assertThat(run("digits", root.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("letter.txt").contains("--force");
        assertThat(root.toFile().list()).containsExactly("letter.txt");
    }

    @Test
    void missingGeneratorIsNamed() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("digits or photos or text");
        assertThat(run("paintings", "x")).isEqualTo(2);
    }
}

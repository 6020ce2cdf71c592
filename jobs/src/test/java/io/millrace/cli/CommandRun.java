package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The exit code and the output of a command that ran in this process. */
public record CommandRun(int exitCode, String out, String err) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public static CommandRun of(String... arguments) {
        PrintStream outBefore = System.out;
        PrintStream errBefore = System.err;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            int exitCode = Main.run(arguments);
            return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(outBefore);
            System.setErr(errBefore);
        }
    }

    /** Returns the result of a command with {@code --json}. */
    public JsonNode json() {
        try {
            return MAPPER.readTree(out.lines().reduce("", (first, second) -> second));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asserts that the command ended with this code and printed one sentence with these words. */
    public void fails(int expectedCode, String... words) {
        assertThat(exitCode).as("%s%s", out, err).isEqualTo(expectedCode);
        List<String> sentences =
                err.lines().filter(line -> line.startsWith("millrace: ")).toList();
        assertThat(sentences).as(err).hasSize(1);
        assertThat(sentences.get(0)).contains(words);
        assertThat(err).doesNotContain("\tat ", "Exception", "apache", "fault of Millrace");
    }

    /** Returns the folder of the latest run. */
    public static Path folder(Path runs) throws IOException {
        return runs.resolve("latest").toRealPath();
    }

    /** Returns the summary of the latest run. */
    public static JsonNode summary(Path runs) throws IOException {
        return MAPPER.readTree(Files.readString(folder(runs).resolve("summary.json")));
    }
}

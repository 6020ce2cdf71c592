package io.millrace.inspect.reference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The Python process that reads files. The resource {@code reference.py} describes the messages. */
final class ReferenceProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PROGRAM = "reference.py";

    private final Process process;
    private final BufferedWriter questions;
    private final BufferedReader answers;
    private final Map<String, String> versions = new LinkedHashMap<>();

    private ReferenceProcess(Process process) {
        this.process = process;
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Starts the process.
     *
     * @param python the command of the interpreter
     * @throws ReferenceException when there is no such interpreter, or it cannot run the program
     */
    static ReferenceProcess start(String python) throws ReferenceException {
        ReferenceProcess started;
        try {
            started = new ReferenceProcess(new ProcessBuilder(python, "-c", program())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new ReferenceException(
                    "expected the command of a Python interpreter, for example python3, found '" + python
                            + "', which cannot be started: " + e.getMessage(),
                    e);
        }
        JsonNode first = started.next();
        if (first == null) {
            started.close();
            throw new ReferenceException(
                    "expected the command of a Python interpreter of version 3.8 or newer, found '" + python
                            + "', which does not answer",
                    null);
        }
        first.properties().forEach(entry -> {
            if (!entry.getValue().isNull()) {
                started.versions.put(entry.getKey(), entry.getValue().asText());
            }
        });
        return started;
    }

    private static String program() throws IOException {
        try (InputStream stream =
                Objects.requireNonNull(ReferenceProcess.class.getResourceAsStream(PROGRAM), PROGRAM)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns the versions of Python and of the libraries that it has, by their names. */
    Map<String, String> versions() {
        return Map.copyOf(versions);
    }

    /** Asks for the values of a file. The answers follow with {@link #next}, up to the one with the key {@code end}. */
    void ask(FileKind kind, Path file) {
        try {
            questions.write(JSON.writeValueAsString(
                    Map.of("kind", kind.word(), "file", file.toAbsolutePath().toString())));
            questions.newLine();
            questions.flush();
        } catch (IOException e) {
            // The process has ended, and next() returns null.
            process.destroy();
        }
    }

    /** Returns the next answer; null when the process has ended. */
    @Nullable
    JsonNode next() {
        try {
            String line = answers.readLine();
            return line == null ? null : JSON.readTree(line);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the exit code of a process that has ended. */
    int exitCode() {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

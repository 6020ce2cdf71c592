package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.python.PythonWithNumpy;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A loader of the Python package in a process of its own, which a test drives ({@code serve_loader.py}). Used by one thread. */
public final class PythonLoader implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TIMEOUT_SECONDS = 60;

    private final Path errors;
    private final Process process;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    /**
     * Starts the interpreter of this machine; without one, the test is skipped.
     *
     * @param folder the folder for what the process prints
     */
    public PythonLoader(Path folder) throws Exception {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "no python3 3.9 or newer with numpy");
        errors = Files.createTempFile(folder, "loader", ".err");
        ProcessBuilder builder = new ProcessBuilder(
                python.orElseThrow(),
                Path.of("src/test/python/serve_loader.py").toAbsolutePath().toString());
        builder.environment()
                .put("PYTHONPATH", Path.of("../python").toAbsolutePath().toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().remove("MILLRACE_TOKEN");
        process = builder.redirectError(errors.toFile()).start();
        commands = process.outputWriter(StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    private JsonNode ask(Map<String, Object> command) throws IOException {
        assertThat(process.isAlive())
                .as("the program has ended: %s", Files.readString(errors))
                .isTrue();
        commands.write(JSON.writeValueAsString(command));
        commands.newLine();
        commands.flush();
        String answer = answers.readLine();
        assertThat(answer)
                .as("the program has ended: %s", Files.readString(errors))
                .isNotNull();
        return JSON.readTree(answer);
    }

    private JsonNode ask(String name, Object value) throws IOException {
        JsonNode answer = ask(Map.of(name, value));
        assertThat(answer.path("error").asText()).as(Files.readString(errors)).isEmpty();
        return answer;
    }

    private static Map<String, Object> arguments(String source, Map<String, Object> more) {
        Map<String, Object> arguments = new HashMap<>(Map.of("source", source, "timeout", TIMEOUT_SECONDS));
        arguments.putAll(more);
        return arguments;
    }

    /** Creates the loader, in place of an earlier one, and returns the kind of memory that it uses. */
    public String open(String source, Map<String, Object> arguments) throws IOException {
        return ask("open", arguments(source, arguments)).required("memory").asText();
    }

    /** Creates a loader that is refused, and returns the exception's name and message. */
    public String refused(String source, Map<String, Object> arguments) throws IOException {
        return error(Map.of("open", arguments(source, arguments)));
    }

    /** Receives all batches that still come before an exception, and returns the exception's name and message. */
    public String failed() throws IOException {
        return error(Map.of("steps", Integer.MAX_VALUE));
    }

    private String error(Map<String, Object> command) throws IOException {
        JsonNode answer = ask(command);
        assertThat(answer.has("error")).as("%s", answer).isTrue();
        return answer.required("error").asText();
    }

    /** Receives the batches from one step to before another, and returns the indexes of their samples. */
    public List<Long> receive(long from, long to) throws IOException {
        JsonNode answer = ask("steps", to - from);
        List<Long> steps = longs(answer.required("steps"));
        assertThat(steps).hasSize((int) (to - from)).isSorted();
        assertThat(steps.get(0)).isEqualTo(from);
        return longs(answer.required("indexes"));
    }

    /** Begins a pass over the evaluation, and returns the indexes of the samples of its first batches, at most this number. */
    public List<Long> evaluate(int batches) throws IOException {
        return longs(ask("evaluate", batches).required("indexes"));
    }

    /** Begins a pass over an evaluation that cannot be delivered, and returns the exception's name and message. */
    public String notEvaluated() throws IOException {
        return error(Map.of("evaluate", Integer.MAX_VALUE));
    }

    /** Requires that the run has no more batches, and closes the loader. */
    public void finish() throws IOException {
        assertThat(ask("steps", 1).required("ended").asBoolean()).isTrue();
        ask("close", true);
    }

    private static List<Long> longs(JsonNode array) {
        List<Long> all = new ArrayList<>();
        array.forEach(each -> all.add(each.asLong()));
        return all;
    }

    @Override
    public void close() {
        ServerProcess.kill(process);
    }
}

package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A Python process with a memfd; see {@code buffer_client.py}. */
final class PythonClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;
    private final JsonNode memory;

    /**
     * Starts a client.
     *
     * @param seals {@code none}, {@code shrink} or {@code all}
     */
    PythonClient(long bytes, String seals) throws IOException {
        process = new ProcessBuilder("python3", "src/test/python/buffer_client.py", Long.toString(bytes), seals)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        output = process.inputReader(StandardCharsets.UTF_8);
        input = process.outputWriter(StandardCharsets.UTF_8);
        memory = JSON.readTree(output.readLine());
    }

    /** Returns whether there is a Python whose standard library can seal memory. */
    static boolean isThere() {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "python3")));
    }

    String path() {
        return memory.get("path").asText();
    }

    String nonce() {
        return memory.get("nonce").asText();
    }

    long pid() {
        return process.pid();
    }

    ObjectNode read(int buffer, BufferLayout layout, List<BufferField> fields) throws IOException {
        ObjectNode request = JSON.createObjectNode().put("buffer", buffer).put("buffer_bytes", layout.bufferBytes());
        request.set("fields", JSON.valueToTree(fields));
        return ask(request);
    }

    /** Returns the size of the memory and its last byte. */
    ObjectNode size() throws IOException {
        return ask(JSON.createObjectNode().put("size", true));
    }

    /** Closes the memory's file descriptor; the client's mapping stays. */
    void closeMemory() throws IOException {
        ask(JSON.createObjectNode().put("close", true));
    }

    private ObjectNode ask(ObjectNode request) throws IOException {
        input.write(request + "\n");
        input.flush();
        return (ObjectNode) JSON.readTree(output.readLine());
    }

    /** Ends the client with its input. */
    @Override
    public void close() throws IOException {
        input.close();
        try {
            assertThat(process.waitFor()).isZero();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}

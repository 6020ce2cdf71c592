package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cluster.FreePorts;
import io.millrace.lifecycle.Uninterrupted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code serve} in a process of its own, which a test may kill and start again at the same address, and the Python
 * programs that it serves. The temporary files of all its starts are in a folder of the test.
 */
public final class ServerProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final Path folder;
    private final Path temporary;
    private final List<String> prefix;
    private final ClientProcess programs;
    private final int port;
    private final List<Long> pids = new ArrayList<>();
    private @Nullable Process process;

    /**
     * Creates the server; nothing runs yet.
     *
     * @param prefix words before the server's command, for example {@code unshare}
     */
    public ServerProcess(Path folder, List<String> prefix) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.temporary = Files.createDirectories(folder.resolve("tmp"));
        this.prefix = List.copyOf(prefix);
        this.programs = new ClientProcess(
                folder, Map.of("MILLRACE_TOKEN", TOKEN, "JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary));
        this.port = FreePorts.any();
    }

    private Path readyFile() {
        return folder.resolve("ready.json");
    }

    /** Starts the server in the background, at the same address as before. */
    public void begin(Path pipeline, List<String> options) throws IOException {
        Files.deleteIfExists(readyFile());
        List<String> arguments = new ArrayList<>(List.of("serve", pipeline.toString(), "--listen", address()));
        arguments.addAll(List.of("--ready-file", readyFile().toString()));
        arguments.addAll(options);
        Process begun = programs.begin(prefix, arguments.toArray(String[]::new));
        process = begun;
        pids.add(begun.pid());
    }

    /** Returns the process that was started last. */
    public Process process() {
        return Objects.requireNonNull(process);
    }

    /** Returns the address over TCP. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Returns whether clients can connect. */
    public boolean isReady() {
        return Files.exists(readyFile());
    }

    /** Returns the folder of the server's Unix socket. */
    public Path socketFolder() throws IOException {
        String unix = ready().required("addresses").get(0).asText();
        return Objects.requireNonNull(Path.of(unix.substring("unix:".length())).getParent());
    }

    private JsonNode ready() throws IOException {
        return JSON.readTree(readyFile().toFile());
    }

    /** Returns the output of the last start. */
    public String printed() throws IOException {
        return programs.printed();
    }

    /** Starts a Python program of the folder src/test/python with a JSON object as its argument. */
    public Process python(String python, String program, Map<String, Object> options, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                python,
                Path.of("src/test/python", program).toAbsolutePath().toString(),
                JSON.writeValueAsString(options));
        Map<String, String> environment = builder.environment();
        environment.put("MILLRACE_TOKEN", TOKEN);
        environment.put("PYTHONPATH", Path.of("../python").toAbsolutePath().toString());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        // Several threads add the terms of a product in another order at each time.
        environment.put("OPENBLAS_NUM_THREADS", "1");
        environment.put("OMP_NUM_THREADS", "1");
        return builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
    }

    /** Kills a process at once, and waits for its end. */
    public static void kill(Process victim) {
        victim.destroyForcibly();
        Uninterrupted.await(victim::waitFor);
    }

    /** Returns the files in the memory of this machine that the server has made in any of its starts. */
    public List<Path> sharedFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        try (var all = Files.newDirectoryStream(Path.of("/dev/shm"), "millrace-serve-*")) {
            for (Path file : all) {
                if (pids.contains(Long.valueOf(file.getFileName().toString().split("-", -1)[2]))) {
                    files.add(file);
                }
            }
        }
        return files;
    }

    /**
     * Asserts that no start of the server has left anything: no file in memory, no temporary file, and no process whose command
     * line has the test's folder.
     */
    public void requireNothingLeft() throws IOException {
        assertThat(sharedFiles()).as("files in memory").isEmpty();
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files).as("temporary files").isEmpty();
        }
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            assertThat(all.filter(other -> commandLine(other.pid()).contains(folder.toString())))
                    .as("processes")
                    .isEmpty();
        }
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // the process has ended
        }
    }

    @Override
    public void close() {
        if (process != null) {
            kill(process);
        }
    }
}

package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.lifecycle.Uninterrupted;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A Python program that trains on the batches of {@code ./millrace serve}: both processes, which a test may kill and start
 * again, and the files that the program writes ({@code serve_trainer.py}).
 */
final class ServedTraining implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int CHECKPOINT_EVERY = 3;

    private final Path folder;
    private final String python;
    private final Path pipeline;
    private final ClientProcess programs;
    private final int port;
    private final List<String> serverPrefix;
    private String memory = "memfd";
    private double stepSeconds;
    private @Nullable Process server;
    private @Nullable Process client;

    /** A condition that may fail to be checked. */
    interface Condition {
        boolean holds() throws IOException;
    }

    /** Creates the training; nothing runs yet. */
    ServedTraining(Path folder, String python, Path pipeline) throws Exception {
        this(folder, python, pipeline, List.of());
    }

    /** Creates the training with words before the server's command, for example {@code unshare}. */
    ServedTraining(Path folder, String python, Path pipeline, List<String> serverPrefix) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.python = python;
        this.pipeline = pipeline;
        this.programs = new ClientProcess(folder, Map.of("MILLRACE_TOKEN", TOKEN));
        this.serverPrefix = serverPrefix;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.port = free.getLocalPort();
        }
    }

    ServedTraining memory(String kind) {
        memory = kind;
        return this;
    }

    ServedTraining stepSeconds(double seconds) {
        stepSeconds = seconds;
        return this;
    }

    private Path readyFile() {
        return folder.resolve("ready.json");
    }

    /** Starts the server and waits until clients can connect. */
    void startServer() throws IOException {
        beginServer();
        await("the server", () -> Files.exists(readyFile()));
    }

    /** Starts the server in the background, at the same address as before. */
    void beginServer() throws IOException {
        Files.deleteIfExists(readyFile());
        server = programs.begin(
                serverPrefix,
                "serve",
                pipeline.toString(),
                "--listen",
                "127.0.0.1:" + port,
                "--ready-file",
                readyFile().toString());
    }

    Process server() {
        return Objects.requireNonNull(server);
    }

    Process client() {
        return Objects.requireNonNull(client);
    }

    /** Returns the folder of the server's Unix socket. */
    Path socketFolder() throws IOException {
        String unix =
                JSON.readTree(readyFile().toFile()).required("addresses").get(0).asText();
        return Objects.requireNonNull(Path.of(unix.substring("unix:".length())).getParent());
    }

    /** Returns the folder of the server's run. */
    Path run() throws IOException {
        return Path.of(JSON.readTree(readyFile().toFile()).required("run").asText());
    }

    /** Starts the training program, which continues from its checkpoint. */
    void startClient() throws IOException {
        Map<String, Object> options = new HashMap<>();
        options.put("source", "127.0.0.1:" + port);
        options.put("memory", memory);
        options.put("timeout", 60);
        options.put("folder", folder.toString());
        options.put("every", CHECKPOINT_EVERY);
        options.put("seconds", stepSeconds);
        ProcessBuilder builder = new ProcessBuilder(
                python,
                Path.of("src/test/python/serve_trainer.py").toAbsolutePath().toString(),
                JSON.writeValueAsString(options));
        Map<String, String> environment = builder.environment();
        environment.put("MILLRACE_TOKEN", TOKEN);
        environment.put("PYTHONPATH", Path.of("../python").toAbsolutePath().toString());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        // Several threads add the terms of a product in another order at each time.
        environment.put("OPENBLAS_NUM_THREADS", "1");
        client = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("client.out").toFile()))
                .start();
    }

    /** Kills a process at once, and waits for its end. */
    static void kill(Process victim) throws InterruptedException {
        victim.destroyForcibly();
        victim.waitFor();
    }

    /** Sends a signal to a process. */
    static void signal(Process process, String signal) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Returns the number of steps that the program has done so far, repeated ones included. */
    long received() throws IOException {
        try {
            return Files.readAllLines(folder.resolve("received.csv")).size();
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /** Returns whether the program has ended well. */
    boolean isDone() {
        return Files.exists(folder.resolve("result.json"));
    }

    /** Waits until the program has done more steps from now on, or is done. */
    void awaitSteps(long more) throws IOException {
        long before = received();
        await(more + " more steps", () -> isDone() || received() >= before + more);
    }

    /** Waits until the program has done no step for some time. */
    void awaitStandstill(long nanos) throws IOException {
        long[] last = {received(), System.nanoTime()};
        await("a standstill", () -> {
            long now = received();
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > nanos;
        });
    }

    /** Waits until both processes have ended well, and returns the program's result. */
    JsonNode finish() throws IOException, InterruptedException {
        await("the end of the program", () -> isDone() || !client().isAlive());
        assertThat(client().waitFor()).as("%s", clientOutput()).isZero();
        await("the end of the server", () -> !server().isAlive());
        assertThat(server().exitValue()).as("%s", programs.printed()).isZero();
        return JSON.readTree(folder.resolve("result.json").toFile());
    }

    /** Returns what the program has printed. */
    String clientOutput() throws IOException {
        Path file = folder.resolve("client.out");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** Returns the lines of the ledger. */
    List<String> ledger() throws IOException {
        return Files.readAllLines(folder.resolve("ledger.csv"));
    }

    /** Asserts that each repeated step had the same samples as before, and returns the number of repeated steps. */
    long requireSameRepetitions() throws IOException {
        Map<String, String> first = new TreeMap<>();
        List<String> lines = Files.readAllLines(folder.resolve("received.csv"));
        for (String line : lines) {
            String step = line.substring(0, line.indexOf(','));
            assertThat(line).isEqualTo(first.computeIfAbsent(step, s -> line));
        }
        return (long) lines.size() - first.size();
    }

    /** Returns the files in the memory of this machine that servers of these processes have made. */
    static List<Path> sharedFiles(List<Long> pids) throws IOException {
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

    /** Waits for a condition; fails with the outputs of both processes after a minute. */
    void await(String what, Condition condition) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            boolean ended = client != null && !client.isAlive() && client.exitValue() == 1 && !isDone();
            if (System.nanoTime() > deadline || ended) {
                throw new AssertionError(what + " did not come, after " + received() + " steps.\nserver: "
                        + programs.printed() + "\nclient: " + clientOutput());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Override
    public void close() {
        for (Process process : new Process[] {client, server}) {
            if (process != null) {
                process.destroyForcibly();
                Uninterrupted.await(process::waitFor);
            }
        }
    }
}

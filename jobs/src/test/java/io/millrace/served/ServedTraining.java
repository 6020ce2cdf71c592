package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.python.PythonTrainer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
public final class ServedTraining implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long RESULT_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int CHECKPOINT_EVERY = 3;
    private static final int KILLED = 128 + 9;

    private final Path folder;
    private final PythonTrainer python;
    private final Path pipeline;
    private final ServerProcess server;
    private List<String> serverOptions = List.of();
    private String memory = "memfd";
    private double stepSeconds;
    private @Nullable Process client;

    /** The part of the file received.csv that was counted, and its lines. */
    private long receivedBytes;

    private long receivedLines;

    /** A condition that may fail to be checked. */
    public interface Condition {
        boolean holds() throws IOException;
    }

    /** Creates the training; nothing runs yet. */
    public ServedTraining(Path folder, PythonTrainer python, Path pipeline) throws Exception {
        this(folder, python, pipeline, List.of());
    }

    /** Creates the training with words before the server's command, for example {@code unshare}. */
    public ServedTraining(Path folder, PythonTrainer python, Path pipeline, List<String> serverPrefix)
            throws Exception {
        this.folder = folder;
        this.python = python;
        this.pipeline = pipeline;
        this.server = new ServerProcess(folder, serverPrefix);
    }

    /**
     * Serves on a cluster.
     *
     * @param heartbeatSeconds the time after which Flink cancels a job whose front door was killed
     */
    public ServedTraining on(String cluster, int heartbeatSeconds) {
        serverOptions = List.of(
                "--cluster",
                cluster,
                "--set",
                "flink.client.heartbeat.interval=500ms",
                "--set",
                "flink.client.heartbeat.timeout=" + heartbeatSeconds + "s");
        return this;
    }

    public ServedTraining memory(String kind) {
        memory = kind;
        return this;
    }

    /** Lets each step last at least this long, until {@link #hurry}. */
    public ServedTraining stepSeconds(double seconds) {
        stepSeconds = seconds;
        return this;
    }

    /** Lets the remaining steps last no longer than they need. */
    public void hurry() throws IOException {
        Files.createFile(folder.resolve("hurry"));
    }

    /** Starts the server and waits until clients can connect. */
    public void startServer() throws IOException {
        beginServer();
        await("the server", server::isReady);
    }

    /** Starts the server in the background, at the same address as before. */
    public void beginServer() throws IOException {
        server.begin(pipeline, serverOptions);
    }

    public ServerProcess server() {
        return server;
    }

    public Process client() {
        return Objects.requireNonNull(client);
    }

    /** Starts the training program, which continues from its checkpoint. */
    public void startClient() throws IOException {
        Map<String, Object> options = new HashMap<>();
        options.put("model", python.model());
        options.put("source", server.address());
        options.put("memory", memory);
        options.put("timeout", 290);
        options.put("folder", folder.toString());
        options.put("every", CHECKPOINT_EVERY);
        options.put("seconds", stepSeconds);
        client = server.python(python.command(), "serve_trainer.py", options, folder.resolve("client.out"));
    }

    /** Starts the processes again that were killed, as a supervisor does. */
    public void supervise() throws IOException {
        if (!client().isAlive() && client().exitValue() == KILLED) {
            startClient();
        }
        if (!server.process().isAlive() && server.process().exitValue() == KILLED) {
            beginServer();
        }
    }

    /** Sends a signal to a process. */
    public static void signal(Process process, String signal) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Returns the number of steps that the program has done so far, repeated ones included. */
    public long received() throws IOException {
        try (FileChannel file = FileChannel.open(folder.resolve("received.csv"))) {
            ByteBuffer more = ByteBuffer.allocate(Math.toIntExact(file.size() - receivedBytes));
            receivedBytes += Math.max(0, file.read(more, receivedBytes));
            for (byte each : more.array()) {
                receivedLines += each == '\n' ? 1 : 0;
            }
        } catch (NoSuchFileException e) {
            return 0;
        }
        return receivedLines;
    }

    /** Returns whether the program has ended well. */
    public boolean isDone() {
        return Files.exists(folder.resolve("result.json"));
    }

    /** Waits until the program has done more steps from now on, or is done. */
    public void awaitSteps(long more) throws IOException {
        long before = received();
        await(more + " more steps", () -> isDone() || received() >= before + more);
    }

    /** Waits until the program has done no step for some time. */
    public void awaitStandstill(long nanos) throws IOException {
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
    public JsonNode finish() throws IOException, InterruptedException {
        await("the end of the program", () -> isDone() || !client().isAlive() || endedTooEarly());
        assertThat(client().waitFor()).as("%s", clientOutput()).isZero();
        await("the end of the server", () -> !server.process().isAlive());
        assertThat(server.process().exitValue()).as("%s", server.printed()).isZero();
        server.requireNothingLeft();
        return JSON.readTree(folder.resolve("result.json").toFile());
    }

    /**
     * Starts the server again if it has ended well, but the program was killed after the server's end and before its own
     * result, and returns false.
     */
    private boolean endedTooEarly() throws IOException {
        if (!server.process().isAlive() && server.process().exitValue() == 0) {
            long since = System.nanoTime();
            await("a result", () -> isDone() || System.nanoTime() - since > RESULT_NANOS);
            if (!isDone()) {
                beginServer();
            }
        }
        return false;
    }

    /** Returns what the program has printed. */
    public String clientOutput() throws IOException {
        Path file = folder.resolve("client.out");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** Returns the lines of the ledger. */
    public List<String> ledger() throws IOException {
        return Files.readAllLines(folder.resolve("ledger.csv"));
    }

    /** Asserts that each repeated step had the same samples as before, and returns the number of repeated steps. */
    public long requireSameRepetitions() throws IOException {
        Map<String, String> first = new TreeMap<>();
        List<String> lines = Files.readAllLines(folder.resolve("received.csv"));
        for (String line : lines) {
            String step = line.substring(0, line.indexOf(','));
            assertThat(line).isEqualTo(first.computeIfAbsent(step, s -> line));
        }
        return (long) lines.size() - first.size();
    }

    /** Waits for a condition; fails with the outputs of both processes when no step has been done for some time. */
    public void await(String what, Condition condition) throws IOException {
        long steps = received();
        long since = System.nanoTime();
        while (!condition.holds()) {
            boolean ended = client != null && !client.isAlive() && client.exitValue() == 1 && !isDone();
            if (received() != steps) {
                steps = received();
                since = System.nanoTime();
            }
            if (System.nanoTime() - since > PATIENCE_NANOS || ended) {
                throw new AssertionError(what + " did not come, after " + received() + " steps.\nserver: "
                        + server.printed() + "\nclient: " + clientOutput());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Override
    public void close() {
        if (client != null) {
            ServerProcess.kill(client);
        }
        server.close();
    }
}

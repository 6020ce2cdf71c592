package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.python.PythonTrainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A Python program that trains on several ranks with the batches of {@code ./millrace serve} ({@code serve_rank.py}). The number of
 * ranks may change when all processes have ended.
 */
public final class ServedRanks implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int CHECKPOINT_EVERY = 3;
    private static final double STEP_SECONDS = 0.01;

    private final Path folder;
    private final PythonTrainer python;
    private final Path pipeline;
    private final ServerProcess server;
    private final List<Process> ranks = new ArrayList<>();
    private int starts;

    public ServedRanks(Path folder, PythonTrainer python, Path pipeline) throws Exception {
        this.folder = folder;
        this.python = python;
        this.pipeline = pipeline;
        this.server = new ServerProcess(folder, List.of());
    }

    public ServerProcess server() {
        return server;
    }

    /** Returns the ranks that were started last. */
    public List<Process> ranks() {
        return List.copyOf(ranks);
    }

    /** Starts the server for a number of ranks. */
    public void beginServer(int world) throws IOException {
        server.begin(pipeline, List.of("--world", Integer.toString(world)));
    }

    /** Starts all ranks, which continue from the checkpoint, as a supervisor does after the death of one of them. */
    public void startRanks(int world) throws IOException {
        killRanks();
        starts++;
        for (int rank = 0; rank < world; rank++) {
            Map<String, Object> options = Map.of(
                    "rank",
                    rank,
                    "world",
                    world,
                    "source",
                    server.address(),
                    "timeout",
                    60,
                    "folder",
                    folder.toString(),
                    "every",
                    CHECKPOINT_EVERY,
                    "seconds",
                    STEP_SECONDS,
                    "meeting",
                    folder.resolve("meeting-" + starts).toString());
            ranks.add(server.python(python.command(), "serve_rank.py", options, folder.resolve("ranks.out")));
        }
    }

    /** Kills all ranks that still run. */
    public void killRanks() {
        ranks.forEach(ServerProcess::kill);
        ranks.clear();
    }

    /** Lets the remaining steps last no longer than they need. */
    public void hurry() throws IOException {
        Files.createFile(folder.resolve("hurry"));
    }

    /** Returns the step after the latest one in the ledger of rank 0, at this number of ranks. */
    private long step(int world) throws IOException {
        Path ledger = folder.resolve("ledger-0-of-" + world + ".csv");
        List<String> lines = Files.exists(ledger) ? Files.readAllLines(ledger) : List.of();
        return lines.isEmpty()
                ? 0
                : 1 + Long.parseLong(lines.get(lines.size() - 1).split(",", -1)[0]);
    }

    /** Waits until the ranks have done a step. */
    public void awaitStep(int world, long step) throws IOException {
        await("step " + step, () -> step(world) > step);
    }

    /** Waits until the ranks and the server have ended well, and returns the result. */
    public JsonNode finish() throws IOException, InterruptedException {
        await("the end of the ranks", () -> ranks.stream().noneMatch(Process::isAlive));
        for (Process rank : ranks) {
            assertThat(rank.exitValue()).as("%s", printed()).isZero();
        }
        await("the end of the server", () -> !server.process().isAlive());
        assertThat(server.process().exitValue()).as("%s", server.printed()).isZero();
        server.requireNothingLeft();
        return JSON.readTree(folder.resolve("result.json").toFile());
    }

    /** Returns the lines of the ledgers of all ranks, in the order of their steps and positions. */
    public List<String> ledger() throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith("ledger-"))
                    .toList()) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        lines.sort((first, second) -> Long.compare(position(first), position(second)));
        return lines;
    }

    private static long position(String line) {
        return Long.parseLong(line.split(",", -1)[1]);
    }

    private String printed() throws IOException {
        return "server: " + server.printed() + "\nranks: " + Files.readString(folder.resolve("ranks.out"));
    }

    private void await(String what, ServedTraining.Condition condition) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(what + " did not come\n" + printed());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Override
    public void close() {
        killRanks();
        server.close();
    }
}

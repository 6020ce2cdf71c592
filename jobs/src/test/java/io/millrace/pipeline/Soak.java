package io.millrace.pipeline;

import io.millrace.cli.CommandRun;
import io.millrace.cli.Footprint;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A program that trains on tiny samples with checkpoints and failures, and prints the resources that the process uses:
 *
 * <pre>{@code
 * java ... io.millrace.pipeline.Soak FOLDER 50000000 2s 30
 * }</pre>
 *
 * The arguments are the folder, the number of samples, the time between checkpoints, and the seconds between failures. The exit
 * code is 1 when samples were lost, when a failure did not fail the job, or when no checkpoint completed between two failures.
 */
public final class Soak {
    private static final int SLOTS = 4;
    private static final int BATCH = 1024;
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int LAST_BYTES = 256;

    /** The name that Flink gives to the thread of a data slot. Each restart begins another attempt. */
    private static final Pattern DATA_SLOT = Pattern.compile("Source: read.*\\((?<slot>\\d+)/\\d+\\)#(?<attempt>\\d+)");

    private final Path folder;
    private final long samples;
    private final Duration betweenFailures;
    private final PrintStream table;
    private final List<Footprint> footprints = new ArrayList<>();
    private int failures;
    private int starved;
    private long checkpointAtFailure;
    private String failedAttempt = "";

    /**
     * The result of a run.
     *
     * @param failures the number of failures that were caused
     * @param starved the number of failures without a completed checkpoint since the previous failure
     * @param footprints the resources of the process before each failure
     */
    public record Outcome(CommandRun run, int failures, int starved, List<Footprint> footprints) {}

    public Soak(Path folder, long samples, Duration betweenFailures, PrintStream table) {
        this.folder = folder;
        this.samples = samples;
        this.betweenFailures = betweenFailures;
        this.table = table;
    }

    /** Runs the program with the arguments that the class describes. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("expected: FOLDER SAMPLES CHECKPOINT_INTERVAL SECONDS_BETWEEN_FAILURES");
        }
        long samples = Long.parseLong(arguments[1]);
        PrintStream out = System.out;
        Outcome outcome = new Soak(
                        Path.of(arguments[0]), samples, Duration.ofSeconds(Long.parseLong(arguments[3])), out)
                .run(arguments[2], Integer.MAX_VALUE);
        out.println(outcome.run().err());
        out.println(outcome.run().out());
        long trained = outcome.run().json().path("samples").asLong();
        int restarts = outcome.run().json().path("restarts").asInt();
        out.printf(
                Locale.ROOT,
                "%,d of %,d samples, %d failures, %d restarts, %d times no checkpoint between two failures%n",
                trained,
                samples,
                outcome.failures(),
                restarts,
                outcome.starved());
        System.exit(
                outcome.run().exitCode() == ExitCode.OK
                                && trained == samples
                                && restarts >= outcome.failures()
                                && outcome.starved() == 0
                        ? ExitCode.OK
                        : ExitCode.FAILED);
    }

    /**
     * Trains until the end.
     *
     * @param checkpoints the time between checkpoints, in the syntax of a pipeline file
     * @param mostFailures the number of failures after which the run is no longer disturbed
     */
    public Outcome run(String checkpoints, int mostFailures) throws Exception {
        Files.createDirectories(folder);
        Path pipeline = Files.writeString(
                folder.resolve("soak.yaml"), """
                        name: soak
                        dataset: { format: synthetic, size: %d, shape: [1, 1, 1], classes: 10, epochs: 1 }
                        order: { seed: 42, shuffle: full }
                        batch: { size: %d }
                        parallelism: %d
                        train: { model: none }
                        checkpoint: { interval: %s, keep: 1 }
                        restart: { attempts: 1000000, delay: 100ms }
                        run: { folder: '%s', web_port: 0 }
                        """.formatted(samples, BATCH, SLOTS, checkpoints, folder.resolve("runs")));
        table.println("  time s      samples  checkpoint  failures  " + Footprint.HEADER);
        CompletableFuture<CommandRun> run =
                CompletableFuture.supplyAsync(() -> CommandRun.of("train", pipeline.toString(), "--json"));
        long began = System.nanoTime();
        long due = System.nanoTime() + betweenFailures.toNanos();
        while (!run.isDone()) {
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
            long completed = latestCheckpoint();
            if (System.nanoTime() > due && completed > 0 && failures < mostFailures) {
                printFootprint(began, completed);
                if (fail()) {
                    starved += completed == checkpointAtFailure ? 1 : 0;
                    checkpointAtFailure = completed;
                    failures++;
                }
                due = System.nanoTime() + betweenFailures.toNanos();
            }
        }
        return new Outcome(run.get(), failures, starved, List.copyOf(footprints));
    }

    private void printFootprint(long began, long checkpoint) throws IOException {
        Footprint now = Footprint.now();
        footprints.add(now);
        table.printf(
                Locale.ROOT,
                "%8.1f %,12d %11d %9d  %s%n",
                (System.nanoTime() - began) / 1e9,
                lastStep() * BATCH,
                checkpoint,
                failures,
                now);
    }

    /**
     * Interrupts the thread of a data slot, which Flink treats as a failure of the task, unless the job has not yet restarted
     * after the previous failure.
     */
    private boolean fail() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            Matcher name = DATA_SLOT.matcher(thread.getName());
            if (name.matches()
                    && Integer.parseInt(name.group("slot")) == 1 + failures % SLOTS
                    && !name.group("attempt").equals(failedAttempt)) {
                thread.interrupt();
                failedAttempt = name.group("attempt");
                return true;
            }
        }
        return false;
    }

    /** Returns the number of the latest completed checkpoint; 0 before the first. */
    private long latestCheckpoint() throws IOException {
        Path runs = folder.resolve("runs");
        if (!Files.isDirectory(runs)) {
            return 0;
        }
        try (Stream<Path> found =
                Files.find(runs, 5, (path, attributes) -> path.endsWith("_metadata") && attributes.isRegularFile())) {
            return found.map(path -> String.valueOf(path.getName(path.getNameCount() - 2)))
                    .filter(name -> name.startsWith("chk-"))
                    .mapToLong(name -> Long.parseLong(name.substring("chk-".length())))
                    .max()
                    .orElse(0);
        } catch (UncheckedIOException e) {
            return checkpointAtFailure; // Flink removed an old checkpoint while the folder was read
        }
    }

    /** Returns the number of the last written step. */
    private long lastStep() throws IOException {
        Path steps = folder.resolve("runs").resolve("latest").resolve("steps.csv");
        if (!Files.isRegularFile(steps)) {
            return 0;
        }
        try (RandomAccessFile file = new RandomAccessFile(steps.toFile(), "r")) {
            byte[] last = new byte[(int) Math.min(LAST_BYTES, file.length())];
            file.seek(file.length() - last.length);
            file.readFully(last);
            String text = new String(last, StandardCharsets.UTF_8).stripTrailing();
            String line = text.substring(text.lastIndexOf('\n') + 1);
            int comma = line.indexOf(',');
            return comma < 0 || !Character.isDigit(line.charAt(0)) ? 0 : Long.parseLong(line.substring(0, comma));
        }
    }
}

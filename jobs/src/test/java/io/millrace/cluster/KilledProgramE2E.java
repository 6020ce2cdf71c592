package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.RunHistory;
import io.millrace.cli.SlowTraining;
import io.millrace.cli.SmallText;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A program with its own Flink that is killed or interrupted and continues in another process without a trace. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class KilledProgramE2E {
    private static final long SEED = 21;
    private static final int EPOCHS = 4;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    @TempDir
    Path folder;

    private interface Condition {
        boolean holds() throws IOException;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void killedAndInterruptedRunsContinueAtOtherParallelismsWithoutATrace(boolean mixture) throws Exception {
        SlowTraining training = mixture ? SlowTraining.ofMixture(folder, EPOCHS) : new SlowTraining(folder, EPOCHS);
        Path pipeline = training.pipeline("broken", 20, "checkpoint: { interval: 300ms }");
        Path runs = training.runs("broken");
        ClientProcess programs = new ClientProcess(folder);
        Random random = new Random(SEED);

        breakOff(programs, "KILL", runs, 20 + random.nextInt(30), "train", pipeline.toString());
        breakOff(
                programs,
                "INT",
                runs,
                20 + random.nextInt(30),
                "train",
                pipeline.toString(),
                "--resume",
                "--set",
                "parallelism=1");
        breakOff(
                programs,
                "KILL",
                runs,
                20 + random.nextInt(30),
                "train",
                pipeline.toString(),
                "--resume",
                "latest",
                "--set",
                "parallelism=4");
        CommandRun last =
                CommandRun.of("train", pipeline.toString(), "--resume", "latest", "--set", "parallelism=2", "--json");

        assertThat(last.exitCode()).as("%s%s", last.out(), last.err()).isZero();
        training.requireUndisturbed("broken");
    }

    @ParameterizedTest
    @CsvSource({"sync, INT", "independent, KILL"})
    void interruptedRunOfSeveralTrainersContinuesWithoutATraceInAnyOfThem(String replicas, String signal)
            throws Exception {
        SlowTraining training = new SlowTraining(folder, 2, "ranks: 2\nreplicas: " + replicas);
        Path pipeline = training.pipeline("broken", 10, "checkpoint: { interval: 300ms }");

        breakOff(new ClientProcess(folder), signal, training.runs("broken"), 10, "train", pipeline.toString());
        CommandRun last = CommandRun.of("train", pipeline.toString(), "--resume", "--set", "parallelism=2", "--json");

        assertThat(last.exitCode()).as("%s%s", last.out(), last.err()).isZero();
        training.requireUndisturbed("broken");
    }

    @Test
    void killedTrainingOfTextContinuesWithoutATrace() throws Exception {
        Path whole = SmallText.pipeline(folder, "whole", "ledger: true");
        CommandRun undisturbed = CommandRun.of("train", whole.toString(), "--json");
        assertThat(undisturbed.exitCode()).as(undisturbed.err()).isZero();
        Path pipeline = SmallText.pipeline(folder, "broken", """
                ledger: true
                checkpoint: { interval: 300ms }
                device: { simulated_step: 100ms }""");

        breakOff(
                new ClientProcess(folder),
                "KILL",
                folder.resolve("broken"),
                15,
                "train",
                pipeline.toString(),
                "--set",
                "parallelism=1");
        CommandRun last = CommandRun.of("train", pipeline.toString(), "--resume", "--set", "parallelism=4", "--json");

        assertThat(last.exitCode()).as("%s%s", last.out(), last.err()).isZero();
        RunHistory.requireSame(last.json(), undisturbed.json());
        new RunHistory(CommandRun.folder(folder.resolve("broken")))
                .requireSame(new RunHistory(CommandRun.folder(folder.resolve("whole"))));
    }

    /** Runs a command until it has written this many steps and a new checkpoint, and sends it a signal. */
    private static void breakOff(ClientProcess programs, String signal, Path runs, int steps, String... arguments)
            throws Exception {
        Path before = latest(runs);
        Process process = programs.begin(arguments);
        try {
            await(
                    "the folder of " + String.join(" ", arguments),
                    programs,
                    process,
                    () -> !latest(runs).equals(before) && lines(latest(runs)) > 0);
            long atFirst = lines(latest(runs));
            await(
                    "step " + (atFirst + steps),
                    programs,
                    process,
                    () -> lines(latest(runs)) >= atFirst + steps && hasCheckpoint(latest(runs)));
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Path latest(Path runs) throws IOException {
        Path link = runs.resolve("latest");
        return Files.exists(link) ? link.toRealPath() : runs;
    }

    private static long lines(Path run) throws IOException {
        Path steps = run.resolve("steps.csv");
        if (!Files.exists(steps)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(steps)) {
            return lines.count();
        }
    }

    private static boolean hasCheckpoint(Path run) throws IOException {
        Path checkpoints = run.resolve("checkpoints");
        if (!Files.isDirectory(checkpoints)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(checkpoints, 3)) {
            return files.anyMatch(file -> file.endsWith("_metadata"));
        }
    }

    private static void await(String what, ClientProcess programs, Process process, Condition condition)
            throws IOException {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            assertThat(process.isAlive())
                    .as("the program while waiting for %s; it printed %s", what, programs.printed())
                    .isTrue();
            assertThat(System.nanoTime() < giveUp)
                    .as("waited in vain for %s", what)
                    .isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}

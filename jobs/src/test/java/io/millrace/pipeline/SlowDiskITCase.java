package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FlinkGauges;
import io.millrace.cli.SlowTraining;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints on a disk that is slower than the checkpoint interval. */
class SlowDiskITCase {
    private static final int EPOCHS = 4;
    private static final int DELAY_MILLIS = 20;
    private static final int INTERVAL_MILLIS = 100;

    /** The steps that are trained before a file is written. */
    private static final int STEPS = 15;

    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    @TempDir
    Path folder;

    private final Queue<String> stoodStill = new ConcurrentLinkedQueue<>();
    private final Queue<Long> pauses = new ConcurrentLinkedQueue<>();

    @BeforeEach
    @AfterEach
    void becomeFast() {
        SlowDisk.setPause(file -> {});
        FlinkGauges.forget();
    }

    private void train(SlowTraining training, String timeout) throws IOException {
        // The states are small here, and would otherwise be stored inline instead of in files.
        String checkpoints = "checkpoint: { path: '%s', interval: %dms, timeout: %s }"
                .formatted(SlowDisk.path(folder.resolve("disk")), INTERVAL_MILLIS, timeout);
        String flink = "flink: { execution.checkpointing.data-inline-threshold: 0, %s }".formatted(FlinkGauges.SETTING);
        Path pipeline = training.pipeline("slow", DELAY_MILLIS, checkpoints + "\n" + flink);
        CommandRun run = CommandRun.of("train", pipeline.toString(), "--json");
        assertThat(run.exitCode()).as("%s%s", run.out(), run.err()).isZero();
        assertThat(stoodStill).isEmpty();
        training.requireUndisturbed("slow");
        assertThat(run.json().required("restarts").asInt()).isZero();
    }

    /** Delays the writing of a file until a condition holds. */
    private void holdUntil(String what, BooleanSupplier condition) throws IOException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                stoodStill.add(what);
                throw new IOException("waited in vain for " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        pauses.add(System.nanoTime() - start);
    }

    @Test
    void trainingContinuesWhileCheckpointsAreWritten() throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        SlowDisk.setPause(file -> {
            long until = Math.min(training.steps(), steps() + STEPS);
            holdUntil("step " + until + " before " + file + " is written", () -> steps() >= until);
        });

        train(training, "10min");

        assertThat(completed()).as("checkpoints that completed").isGreaterThanOrEqualTo(2);
        assertThat(pauses)
                .as("files that took longer than the interval")
                .filteredOn(nanos -> nanos > TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void checkpointsThatNeverCompleteInTimeDoNotDisturbTraining() throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        SlowDisk.setPause(file -> {
            long before = failed();
            holdUntil(
                    "a checkpoint that times out, with " + file,
                    () -> failed() > before || steps() == training.steps());
        });

        train(training, "100ms");

        assertThat(failed()).as("checkpoints that timed out").isPositive();
        assertThat(completed()).as("checkpoints that completed").isZero();
    }

    private static long steps() {
        return FlinkGauges.value("steps");
    }

    private static long failed() {
        return FlinkGauges.value("numberOfFailedCheckpoints");
    }

    private static long completed() {
        return FlinkGauges.value("numberOfCompletedCheckpoints");
    }
}

package io.millrace.pipeline;

import io.millrace.config.CheckpointConfig;
import io.millrace.config.RecoveryConfig;
import io.millrace.config.RestartConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;

/** What a pipeline file says of checkpoints and restarts, in Flink's settings. */
public final class Checkpointing {
    /** Within the run's folder. */
    public static final String FOLDER = "checkpoints";

    /** Between two checkpoints there is time to work, however long they take. */
    private static final Duration LEAST_PAUSE = Duration.ofMillis(150);

    /**
     * How long an unaligned checkpoint is an aligned one. Not 0: Flink 2.3 lets a checkpoint that is unaligned from the
     * first overtake the ranges on their way to a reader. They are then in no state, and a restart loses them.
     */
    private static final Duration ALIGNED_AT_FIRST = Duration.ofMillis(10);

    private Checkpointing() {}

    /**
     * Where the checkpoints and savepoints of a run go, as a URI. A run without checkpoints has a place for savepoints:
     * when it is stopped it is saved.
     *
     * @param run the run's folder
     */
    public static String location(RecoveryConfig recovery, Path run) {
        String path = recovery.checkpoint()
                .flatMap(CheckpointConfig::path)
                .orElseGet(() -> run.toAbsolutePath().resolve(FOLDER).toString());
        return URI.create(path.replace(" ", "%20")).getScheme() != null
                ? path
                : Path.of(path).toAbsolutePath().toUri().toString();
    }

    /** Sets what the file says; of restarts nothing where it says nothing. */
    static void configure(Configuration flink, RecoveryConfig recovery, Path run) {
        recovery.restart().ifPresent(restart -> restart(flink, restart));
        // For savepoints too: Flink 2.3 reads plain operator state byte by byte, 1 MB/s from a local file; compressed
        // it
        // reads 200 MB/s and writes no slower.
        flink.set(ExecutionOptions.SNAPSHOT_COMPRESSION, true);
        flink.set(CheckpointingOptions.ALIGNED_CHECKPOINT_TIMEOUT, ALIGNED_AT_FIRST);
        if (recovery.checkpoint().isEmpty()) {
            return;
        }
        CheckpointConfig checkpoint = recovery.checkpoint().get();
        String location = location(recovery, run);
        flink.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoint.interval());
        flink.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, LEAST_PAUSE);
        flink.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, checkpoint.timeout());
        flink.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        flink.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, location);
        flink.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, location);
        flink.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, checkpoint.keep());
        flink.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        // A checkpoint that cannot be written costs safety, not the run.
        flink.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, Integer.MAX_VALUE);
        flink.set(CheckpointingOptions.ENABLE_UNALIGNED, checkpoint.mode() == CheckpointConfig.Mode.UNALIGNED);
        // Else the end of a run would wait for one more checkpoint, from which nothing can be resumed.
        flink.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);
    }

    /** Sets how a failed job is started again. */
    public static void restart(Configuration flink, RestartConfig restart) {
        flink.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        flink.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, restart.attempts());
        flink.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, restart.delay());
    }
}

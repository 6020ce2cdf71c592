package io.millrace.pipeline;

import io.millrace.config.CheckpointConfig;
import io.millrace.config.RecoveryConfig;
import io.millrace.config.RestartConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;

/** The translation of a pipeline file's checkpoints and restarts into Flink's settings. */
public final class Checkpointing {
    /** The folder of checkpoints within the run's folder. */
    public static final String FOLDER = "checkpoints";

    /** The least time between two checkpoints, so that the job works even when checkpoints are slow. */
    private static final Duration LEAST_PAUSE = Duration.ofMillis(150);

    /**
     * The time for which an unaligned checkpoint is aligned at first. It is not 0, because in Flink 2.3 a checkpoint
     * that is unaligned from its start overtakes the ranges that are on their way to a reader. These ranges are then in
     * no state, and a restart loses them.
     */
    private static final Duration ALIGNED_AT_FIRST = Duration.ofMillis(10);

    private Checkpointing() {}

    /**
     * Returns the address of a run's checkpoints and savepoints. A run without checkpoints needs it too, because a
     * savepoint is written when the run is stopped.
     *
     * @param run the folder of the run
     * @return the address; empty for a folder of this machine in which Flink cannot write: it takes a backslash for a slash
     */
    public static Optional<String> location(RecoveryConfig recovery, Path run) {
        String path = recovery.checkpoint()
                .flatMap(CheckpointConfig::path)
                .orElseGet(() -> run.toAbsolutePath().resolve(FOLDER).toString());
        if (FlinkPath.isAddress(path)) {
            return Optional.of(path);
        }
        return path.contains("\\") ? Optional.empty() : Optional.of(FlinkPath.address(Path.of(path)));
    }

    /**
     * Sets Flink's checkpoints and restarts. If the pipeline file has no section {@code restart}, the cluster's restart
     * settings apply. A run with checkpoints needs a {@link #location}.
     */
    static void configure(Configuration flink, RecoveryConfig recovery, Path run) {
        recovery.restart().ifPresent(restart -> restart(flink, restart));
        // For savepoints too: Flink 2.3 reads uncompressed operator state byte by byte, at 1 MB/s from a local file.
        // Compressed state is read at 200 MB/s and written no slower.
        flink.set(ExecutionOptions.SNAPSHOT_COMPRESSION, true);
        flink.set(CheckpointingOptions.ALIGNED_CHECKPOINT_TIMEOUT, ALIGNED_AT_FIRST);
        if (recovery.checkpoint().isEmpty()) {
            return;
        }
        CheckpointConfig checkpoint = recovery.checkpoint().get();
        String location = location(recovery, run).orElseThrow();
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
        // The run continues when a checkpoint cannot be written.
        flink.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, Integer.MAX_VALUE);
        flink.set(CheckpointingOptions.ENABLE_UNALIGNED, checkpoint.mode() == CheckpointConfig.Mode.UNALIGNED);
        // Otherwise the end of a run would wait for one more checkpoint, from which no run can be resumed.
        flink.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);
    }

    /** Sets the restarts of a failed job. */
    public static void restart(Configuration flink, RestartConfig restart) {
        flink.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        flink.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, restart.attempts());
        flink.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, restart.delay());
    }
}

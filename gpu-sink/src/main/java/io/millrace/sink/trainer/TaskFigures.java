package io.millrace.sink.trainer;

import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TaskCounters;
import io.millrace.sink.figures.TaskProgress;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.progress.Restarts;
import io.millrace.sink.rows.RowIntake;

/**
 * The figures that the task's thread counts: restarts, checkpoints, bad samples and the assembly of batches. The
 * trainer's thread counts all others. Only the task's thread calls it.
 */
final class TaskFigures {
    private final TrainerMetrics metrics;
    private final RowIntake intake;
    private final Restarts restarts;
    private SnapshotCost checkpoints;
    private long checkpointWriteNanos;

    /**
     * Creates the figures of an attempt.
     *
     * @param checkpoints the cost of the checkpoints so far, including those before a restart
     */
    TaskFigures(TrainerMetrics metrics, RowIntake intake, Restarts restarts, SnapshotCost checkpoints) {
        this.metrics = metrics;
        this.intake = intake;
        this.restarts = restarts;
        this.checkpoints = checkpoints;
    }

    /** Adds a checkpoint; see {@link SnapshotCost}. */
    void addCheckpoint(long stateBytes, long drainNanos, long copyNanos) {
        checkpoints = checkpoints.plus(stateBytes, drainNanos, copyNanos);
    }

    /** Adds the time in which Flink stored a checkpoint, or tried to. */
    void addCheckpointWrite(long nanos) {
        checkpointWriteNanos += nanos;
    }

    /** Updates the metrics. */
    void publish(BackPressure backPressure) {
        intake.publish(metrics);
        metrics.ringWaitNanos = backPressure.waitNanos();
        metrics.checkpointWriteNanos = checkpointWriteNanos;
        metrics.task = counters();
    }

    /** Returns the progress of the task, for a checkpoint. */
    TaskProgress progress() {
        return new TaskProgress(
                intake.oldest(),
                restarts.earlier(),
                counters(),
                intake.quarantine().pieces());
    }

    /** Returns the counters of the task, for a report and the metrics. */
    TaskCounters counters() {
        QuarantineLog quarantine = intake.quarantine();
        return new TaskCounters(quarantine.distinct(), quarantine.rows(), intake.nanos(), restarts.all(), checkpoints);
    }
}

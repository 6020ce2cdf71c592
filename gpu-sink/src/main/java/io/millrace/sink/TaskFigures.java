package io.millrace.sink;

/**
 * The figures that the task's thread counts beside those of the trainer's thread: restarts, checkpoints, bad samples
 * and the assembly of batches. The task's thread alone calls.
 */
final class TaskFigures {
    private final TrainerMetrics metrics;
    private final RowIntake intake;
    private final Restarts restarts;
    private SnapshotCost checkpoints;

    /**
     * Starts counting.
     *
     * @param checkpoints the cost of the checkpoints so far, those before a restart included
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

    /** Updates the metrics. */
    void publish(BackPressure backPressure) {
        intake.publish(metrics);
        metrics.slotWaitNanos = backPressure.waitNanos();
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

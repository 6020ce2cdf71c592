package io.millrace.sink.figures;

import java.io.Serializable;

/**
 * The counters of a training operator's task. Its report and its metrics share this record.
 *
 * @param quarantined the number of distinct bad samples
 * @param quarantinedRows the number of rows that stayed empty in batches
 * @param assembleNanos the time in which the task's thread put rows into their batches, in nanoseconds
 * @param restarts the number of times that training was restarted from a checkpoint, including earlier jobs of its
 *     history
 * @param checkpoints the cost of the checkpoints
 */
public record TaskCounters(
        long quarantined, long quarantinedRows, long assembleNanos, int restarts, SnapshotCost checkpoints)
        implements Serializable {
    /** The counters of a task that has done nothing. */
    public static final TaskCounters NONE = new TaskCounters(0, 0, 0, 0, SnapshotCost.NONE);
}

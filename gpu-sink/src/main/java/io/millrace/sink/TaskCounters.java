package io.millrace.sink;

import java.io.Serializable;

/**
 * The counters of a training operator's task. Its report and its metrics share this record.
 *
 * @param quarantined distinct bad samples
 * @param quarantinedRows rows that batches lacked
 * @param assembleNanos time in which the task's thread put rows into their batches
 * @param restarts how often training was started again from a checkpoint, in earlier jobs of its history too
 * @param checkpoints the cost of the checkpoints
 */
public record TaskCounters(
        long quarantined, long quarantinedRows, long assembleNanos, int restarts, SnapshotCost checkpoints)
        implements Serializable {
    /** The counters of a task that has done nothing. */
    public static final TaskCounters NONE = new TaskCounters(0, 0, 0, 0, SnapshotCost.NONE);
}

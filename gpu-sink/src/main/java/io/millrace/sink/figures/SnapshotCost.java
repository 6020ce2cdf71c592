package io.millrace.sink.figures;

import java.io.Serializable;

/**
 * The cost of a run's checkpoints for its trainer, including the checkpoints before a restart.
 *
 * @param count the number of checkpoints that began
 * @param bytes the size of the trainer's state in the latest checkpoint
 * @param totalBytes the size of all checkpoints
 * @param drainNanos the total time from the barrier until all complete batches were trained on; the trainer worked
 *     during this time
 * @param copyNanos the total time of copying the state in memory; the trainer waited during this time
 */
public record SnapshotCost(long count, long bytes, long totalBytes, long drainNanos, long copyNanos)
        implements Serializable {
    /** The cost without any checkpoint. */
    public static final SnapshotCost NONE = new SnapshotCost(0, 0, 0, 0, 0);

    /** Returns the cost with one more checkpoint. */
    public SnapshotCost plus(long stateBytes, long drained, long copied) {
        return new SnapshotCost(
                count + 1, stateBytes, totalBytes + stateBytes, drainNanos + drained, copyNanos + copied);
    }
}

package io.millrace.sink;

import java.io.Serializable;

/**
 * What the checkpoints of a run cost its trainer, those before a restart included.
 *
 * @param count checkpoints that were begun
 * @param bytes of the trainer's state in the latest
 * @param totalBytes of all
 * @param drainNanos in all, from the barrier until the batches that were whole had been trained on: the trainer worked
 * @param copyNanos in all, copying the state in memory: the trainer waited
 */
public record SnapshotCost(long count, long bytes, long totalBytes, long drainNanos, long copyNanos)
        implements Serializable {
    /** No checkpoint yet. */
    public static final SnapshotCost NONE = new SnapshotCost(0, 0, 0, 0, 0);

    /** With one more checkpoint. */
    SnapshotCost plus(long stateBytes, long drained, long copied) {
        return new SnapshotCost(
                count + 1, stateBytes, totalBytes + stateBytes, drainNanos + drained, copyNanos + copied);
    }
}

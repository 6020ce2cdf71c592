package io.millrace.sink;

import java.util.List;

/**
 * What the task's thread knows of the run's progress, at a moment at which no batch is in training.
 *
 * @param nextBatch the first batch that was not trained on
 * @param quarantine the bad samples, in pieces of state
 */
record TaskProgress(
        long nextBatch,
        int restarts,
        int earlierRestarts,
        long quarantined,
        long quarantinedRows,
        long assembleNanos,
        SnapshotCost checkpoints,
        List<byte[]> quarantine) {}

package io.millrace.order;

import io.millrace.order.BatchPlan.Batch;

/**
 * A run as one trainer sees it: every batch of the plan, with the rows that are this rank's.
 *
 * @param rank 0 to {@code split.ranks() - 1}
 */
public record RankPlan(RankRows split, int rank) {
    public RankPlan {
        if (rank < 0 || rank >= split.ranks()) {
            throw new IllegalArgumentException("rank " + rank + " is not in 0 to " + (split.ranks() - 1));
        }
    }

    /** The plan of a run with one trainer. */
    public static RankPlan single(BatchPlan plan) {
        return new RankPlan(RankRows.none(plan), 0);
    }

    /** The most rows of a batch. */
    public int batch() {
        return split.batch();
    }

    /** Batches in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long batches() {
        return split.plan().batches();
    }

    /** The number of the batch that holds this position, as {@link BatchPlan#batchNumber}. */
    public long batchNumber(long position) {
        return split.plan().batchNumber(position);
    }

    /** The batch of that number as {@link RankRows#batch}; it may have no rows. */
    public Batch batch(long number) {
        return split.batch(number, rank);
    }
}

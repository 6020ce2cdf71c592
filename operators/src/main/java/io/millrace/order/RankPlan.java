package io.millrace.order;

import io.millrace.order.BatchPlan.Batch;

/**
 * The batches of a run for one trainer. Each batch contains only the rows of this rank.
 *
 * @param split the rows of all ranks
 * @param rank the number of this rank, 0 to {@code split.ranks() - 1}
 */
public record RankPlan(RankRows split, int rank) {
    public RankPlan {
        if (rank < 0 || rank >= split.ranks()) {
            throw new IllegalArgumentException("rank " + rank + " is not in 0 to " + (split.ranks() - 1));
        }
    }

    /** Returns the plan of a run with one trainer. */
    public static RankPlan single(BatchPlan plan) {
        return new RankPlan(RankRows.single(plan), 0);
    }

    /** Returns the largest number of rows in a batch of this rank. */
    public int batch() {
        return split.batch();
    }

    /** Returns the number of batches in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long batches() {
        return split.plan().batches();
    }

    /** Returns the number of the batch that holds a position, as {@link BatchPlan#batchNumber} does. */
    public long batchNumber(long position) {
        return split.plan().batchNumber(position);
    }

    /** Returns the batch of the given number as {@link RankRows#batch} does; it may have no rows. */
    public Batch batch(long number) {
        return split.batch(number, rank);
    }
}

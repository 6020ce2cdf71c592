package io.millrace.order;

import io.millrace.order.BatchPlan.Batch;

/**
 * The batches of a run for one trainer. Each batch contains only the rows of this rank.
 *
 * @param rankRows the rows of all ranks
 * @param rank the number of this rank, 0 to {@code rankRows.ranks() - 1}
 */
public record RankPlan(RankRows rankRows, int rank) {
    public RankPlan {
        if (rank < 0 || rank >= rankRows.ranks()) {
            throw new IllegalArgumentException("rank " + rank + " is not in 0 to " + (rankRows.ranks() - 1));
        }
    }

    /** Returns the plan of a run with one trainer. */
    public static RankPlan single(BatchPlan plan) {
        return new RankPlan(RankRows.single(plan), 0);
    }

    /** Returns the largest number of rows in a batch of this rank. */
    public int batch() {
        return rankRows.batch();
    }

    /** Returns the number of batches in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long batches() {
        return rankRows.plan().batches();
    }

    /** Returns the number of the batch that holds a position, as {@link BatchPlan#batchNumber} does. */
    public long batchNumber(long position) {
        return rankRows.plan().batchNumber(position);
    }

    /** Returns the batch of the given number as {@link RankRows#batch} does; it may have no rows. */
    public Batch batch(long number) {
        return rankRows.batch(number, rank);
    }
}

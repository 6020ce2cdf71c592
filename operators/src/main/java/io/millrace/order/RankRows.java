package io.millrace.order;

import io.millrace.order.BatchPlan.Batch;
import io.millrace.sample.Split;
import java.io.Serializable;

/**
 * The division of each batch of a run among the trainers.
 *
 * <p>A batch of the plan is the global batch, with {@code ranks} times as many rows as one trainer consumes. Rank
 * {@code r} gets the rows {@code [r * n, (r + 1) * n)} with {@code n} = {@link #batch()}. In a batch that is not full
 * some ranks get fewer rows, or none. A rank also makes a step for an empty batch, so all ranks make the same
 * number of steps and no sample is used twice. Evaluation batches are divided in the same way.
 *
 * @param plan the plan of the global batches, whose size is a multiple of {@code ranks}
 * @param ranks the number of trainers that share each batch, at least 1
 * @param tail the division of a batch that is not full
 */
public record RankRows(BatchPlan plan, int ranks, Tail tail) implements Serializable {
    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException when the batches cannot be divided evenly or a rank would never get a sample;
     *     the message is a sentence for the user
     */
    public RankRows {
        if (ranks < 1 || plan.batch() % ranks != 0) {
            throw new IllegalArgumentException(
                    "a batch of " + plan.batch() + " rows cannot be split evenly among " + ranks + " ranks");
        }
        int mostOfOthers = tail == Tail.ALL_RANKS ? 1 : plan.batch() / ranks;
        if (plan.size() <= mostOfOthers * (ranks - 1L)) {
            throw new IllegalArgumentException("rank " + (ranks - 1) + " of " + ranks
                    + " would never get a sample: the "
                    + plan.size() + " samples of the dataset all go to the ranks before it, " + mostOfOthers
                    + " rows to each in every step. Use fewer ranks or a smaller batch.size");
        }
    }

    /** Returns the division for a single trainer, which gets all rows. */
    public static RankRows single(BatchPlan plan) {
        return new RankRows(plan, 1, Tail.FIRST_RANKS);
    }

    /** Returns the largest number of rows that a rank gets from one batch. */
    public int batch() {
        return plan.batch() / ranks;
    }

    /**
     * Returns the rank that gets a position.
     *
     * @param position 0 to {@code plan().positions() - 1}
     */
    public int rank(long position) {
        if (ranks == 1) {
            return 0;
        }
        BatchPlan.Place place = plan.place(position);
        int row = (int) (place.i() % plan.batch());
        if (tail == Tail.FIRST_RANKS) {
            return row / batch();
        }
        long samples = place.split() == Split.TRAIN ? plan.trainSamples() : plan.evaluationSize();
        int rows = (int) Math.min(plan.batch(), samples - (place.i() - row));
        int each = rows / ranks;
        int longer = rows % ranks; // the first ranks have a row more
        return row < longer * (each + 1) ? row / (each + 1) : (row - longer) / each;
    }

    /**
     * Returns a rank's part of a batch. The result has the first position and the number of rows of this rank. For a
     * rank without rows, the first position is the position after the batch.
     *
     * @param number 0 to {@code plan().batches() - 1}
     * @param rank 0 to {@code ranks() - 1}
     */
    public Batch batch(long number, int rank) {
        Batch whole = plan.batch(number);
        if (ranks == 1) {
            return whole;
        }
        int first = firstRow(whole.rows(), rank);
        return new Batch(
                number,
                whole.epoch(),
                whole.split(),
                whole.step(),
                whole.firstPosition() + first,
                firstRow(whole.rows(), rank + 1) - first,
                whole.last());
    }

    /** Returns the first row of a rank in a batch of some rows. */
    private int firstRow(int rows, int rank) {
        return tail == Tail.FIRST_RANKS
                ? Math.min(rank * batch(), rows)
                : rows / ranks * rank + Math.min(rank, rows % ranks);
    }
}

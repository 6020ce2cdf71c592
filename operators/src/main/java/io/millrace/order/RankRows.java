package io.millrace.order;

import io.millrace.order.BatchPlan.Batch;
import java.io.Serializable;

/**
 * The division of each batch of a run among the trainers.
 *
 * <p>A batch of the plan is the global batch, with {@code ranks} times as many rows as one trainer consumes. Rank
 * {@code r} gets the rows {@code [r * n, (r + 1) * n)} with {@code n} = {@link #batch()}. In a batch that is not full
 * the last ranks get fewer rows, or none. A rank also makes a step for an empty batch, so all ranks make the same
 * number of steps and no sample is used twice. Evaluation batches are divided in the same way.
 *
 * @param plan the plan of the global batches, whose size is a multiple of {@code ranks}
 * @param ranks the number of trainers that share each batch, at least 1
 */
public record RankRows(BatchPlan plan, int ranks) implements Serializable {
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
        long withoutLast = plan.batch() / ranks * (ranks - 1L);
        if (plan.size() <= withoutLast) {
            throw new IllegalArgumentException("rank " + (ranks - 1) + " of " + ranks
                    + " would never get a sample: the "
                    + plan.size() + " samples of the dataset all go to the ranks before it, " + plan.batch() / ranks
                    + " rows to each in every step. Use fewer ranks or a smaller batch.size");
        }
    }

    /** Returns the division for a single trainer, which gets all rows. */
    public static RankRows single(BatchPlan plan) {
        return new RankRows(plan, 1);
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
        return ranks == 1 ? 0 : (int) (plan.place(position).i() % plan.batch() / batch());
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
        int first = Math.min(rank * batch(), whole.rows());
        return new Batch(
                number,
                whole.epoch(),
                whole.split(),
                whole.step(),
                whole.firstPosition() + first,
                Math.min(batch(), whole.rows() - first),
                whole.last());
    }
}

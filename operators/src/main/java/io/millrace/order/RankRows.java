package io.millrace.order;

import io.millrace.order.BatchPlan.Batch;
import java.io.Serializable;

/**
 * Which rows of each batch of a run are which trainer's.
 *
 * <p>A batch of the plan is the global one, of {@code ranks} times as many rows as a trainer takes: rank {@code r} has its
 * rows {@code [r * n, (r + 1) * n)} with {@code n} = {@link #batch()}. In a batch that is not full the last ranks have
 * fewer rows, or none: such an empty batch is a step like any other, so that all ranks take equally many, and no sample
 * is taken twice. Evaluation batches are split likewise.
 *
 * @param plan of the global batches, whose size is a multiple of {@code ranks}
 * @param ranks trainers that share each batch, at least 1
 */
public record RankRows(BatchPlan plan, int ranks) implements Serializable {
    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException with a sentence, when the batches cannot be split or a rank would never get a sample
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

    /** All rows to one trainer. */
    public static RankRows none(BatchPlan plan) {
        return new RankRows(plan, 1);
    }

    /** The most rows of a batch that a rank has. */
    public int batch() {
        return plan.batch() / ranks;
    }

    /**
     * The rank that takes this position.
     *
     * @param position 0 to {@code plan().positions() - 1}
     */
    public int rank(long position) {
        return ranks == 1 ? 0 : (int) (plan.place(position).i() % plan.batch() / batch());
    }

    /**
     * A rank's part of a batch: its first position and rows are the rank's; with 0 rows the position is behind the batch.
     *
     * @param number 0 to {@code plan().batches() - 1}
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

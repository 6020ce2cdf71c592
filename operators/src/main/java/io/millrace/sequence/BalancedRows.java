package io.millrace.sequence;

import io.millrace.order.Order;
import java.io.IOException;
import java.util.stream.IntStream;

/**
 * The arrangement of a global batch in which ranks have equal work. The batch is divided among the ranks in equal parts, and each rank's
 * part among its micro-batches, so that each rank has the same number of rows in each micro-batch. If ranks wait for each other only at the
 * end of a step, a step should count as one micro-batch.
 *
 * <p>Rows of similar cost belong to the same micro-batch, which makes the sum of the slowest ranks of all micro-batches small: with one row
 * for each rank and micro-batch, no other division has a smaller sum. Within a micro-batch, the heaviest row that is left goes to the rank
 * that has the least work so far (longest processing time first; Graham, "Bounds on multiprocessing timing anomalies", 1969), one row
 * for each rank in turn. Then ranks with several rows exchange pairs of them: a heavy rank with a light one, and at last the slowest rank with
 * any other one, while that makes the slowest rank faster.
 *
 * <p>A batch that is not full keeps its order.
 *
 * @param ranks the number of ranks, at least 1
 * @param microBatches the number of micro-batches of a step, at least 1
 * @param batch the number of rows of a full batch, a multiple of {@code ranks * microBatches}
 * @param cost the cost of a row
 */
public record BalancedRows(int ranks, int microBatches, int batch, RowCost cost) implements Arrangement {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when the batch cannot be divided evenly; the message is a sentence for the user
     */
    public BalancedRows {
        if (ranks < 1 || microBatches < 1 || batch < 1 || batch % ((long) ranks * microBatches) != 0) {
            throw new IllegalArgumentException("a batch of " + batch + " rows cannot be divided evenly among " + ranks
                    + " ranks with " + microBatches + " micro-batches each");
        }
    }

    @Override
    public boolean await(Order.Pick[] rows, long nanos) throws IOException {
        return cost.await(rows, nanos);
    }

    @Override
    public int[] arrange(int epoch, long window, Order.Pick[] rows) {
        double[] costs = new double[rows.length];
        for (int row = 0; row < rows.length; row++) {
            costs[row] = cost.cost(rows[row]);
            if (!(costs[row] >= 0 && Double.isFinite(costs[row]))) {
                throw new IllegalArgumentException(
                        "expected a cost of 0 or more for " + rows[row] + ", found " + costs[row]);
            }
        }
        return arrange(costs);
    }

    /** Returns the number of the row for each place of a batch whose rows have these costs. */
    int[] arrange(double[] costs) {
        return costs.length < batch
                ? IntStream.range(0, costs.length).toArray()
                : new WorkDivision(costs, ranks, microBatches).places();
    }

    /**
     * Returns the work of the slowest ranks of all micro-batches of a full batch by that of the mean ranks, 1 or more: the time of a step
     * whose ranks wait for each other after each micro-batch, by the time without waits.
     *
     * @param costs the costs of the rows in their places
     */
    public double slowest(double[] costs) {
        int each = batch / ranks / microBatches;
        double slowest = 0;
        double sum = 0;
        for (int micro = 0; micro < microBatches; micro++) {
            double most = 0;
            for (int rank = 0; rank < ranks; rank++) {
                double load = 0;
                for (int i = 0; i < each; i++) {
                    load += costs[(rank * microBatches + micro) * each + i];
                }
                most = Math.max(most, load);
                sum += load / ranks;
            }
            slowest += most;
        }
        return sum == 0 ? 1 : slowest / sum;
    }
}

package io.millrace.sequence;

import io.millrace.order.Order;
import java.io.IOException;
import java.io.Serializable;

/** A permutation of the rows of each window of an order, as a pure function of the rows. Any thread may use it. */
public interface Arrangement extends Serializable {
    /**
     * Returns the number of the row for each place of the window, each number once.
     *
     * @param epoch the epoch of the run
     * @param window the number of the window in the epoch
     * @param rows the rows of the window; the last window of an epoch may have fewer than others
     */
    int[] arrange(int epoch, long window, Order.Pick[] rows);

    /** Waits until all that the arrangement of some rows depends on is known, as {@link RowCost#await} does. */
    default boolean await(Order.Pick[] rows, long nanos) throws IOException {
        return true;
    }
}

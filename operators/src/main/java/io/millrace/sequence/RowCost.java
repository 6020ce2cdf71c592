package io.millrace.sequence;

import io.millrace.order.Order;
import java.io.IOException;
import java.io.Serializable;

/** The work that a row of a batch costs. A pure function; any thread may use it. */
public interface RowCost extends Serializable {
    /** Returns the cost of a row, 0 or more, in any unit, after waiting until it is known. */
    double cost(Order.Pick row);

    /**
     * Waits until the costs of some rows are known.
     *
     * @param nanos the longest time to wait, 0 or more
     * @return false when one of them is not known yet
     * @throws IOException when it can never be known; the message is a sentence
     * @throws java.io.InterruptedIOException when the calling thread is interrupted
     */
    default boolean await(Order.Pick[] rows, long nanos) throws IOException {
        return true;
    }
}

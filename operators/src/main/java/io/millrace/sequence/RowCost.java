package io.millrace.sequence;

import io.millrace.order.Order;
import java.io.Serializable;

/** The work that a row of a batch costs. A pure function; any thread may use it. */
public interface RowCost extends Serializable {
    /** Returns the cost of a row, 0 or more, in any unit. */
    double cost(Order.Pick row);
}

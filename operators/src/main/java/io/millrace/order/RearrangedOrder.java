package io.millrace.order;

/** An order that has the samples of another order at other places of the same window of the epoch. Windows begin with the epoch. */
public interface RearrangedOrder extends Order {
    /** Returns the other order. */
    Order original();

    /** Returns the number of places of a window, at least 1. The last window of an epoch may have fewer. */
    int window();

    /**
     * Returns the place in this order of the sample that the original has at place {@code i}.
     *
     * @param epoch the epoch of the run, 0 or more
     * @param i the place in the epoch, 0 to {@code size() - 1}
     */
    long place(int epoch, long i);
}

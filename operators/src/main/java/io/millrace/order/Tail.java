package io.millrace.order;

/** The ranks that share the last batch of an epoch when it is not full. */
public enum Tail {
    /**
     * Each rank gets as many rows as of a full batch, until none are left: the last ranks have fewer rows, or none. Millrace's own
     * trainers use this division, on which the order of the sums of their gradients depends.
     */
    FIRST_RANKS,
    /** All ranks get the same number of rows, except that the first ones have one more if the number of rows requires it. */
    ALL_RANKS
}

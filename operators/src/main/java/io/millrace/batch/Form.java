package io.millrace.batch;

/** How a column lies in memory and on the wire. The order is part of stored descriptions: append only. */
public enum Form {
    /** Every row has the same number of elements, one after another. */
    DENSE,
    /** Elements that are 0 or 1, eight to a byte, the first in the lowest bit; each row begins with a byte. */
    BITS,
    /** Rows of different length without padding: their values one after another, and where each row begins. */
    RAGGED,
    /**
     * Elements that are mostly 0, of one shape: those that are not, each behind its place in the row (int32, counted in
     * elements). The receiver has all of them again.
     */
    SPARSE
}

package io.millrace.batch;

/**
 * The layout of a column in memory and on the wire. Stored descriptions contain the order of the constants, so new
 * constants must be added at the end.
 */
public enum Form {
    /** Every row has the same number of elements, one after another. */
    DENSE,
    /** Elements are 0 or 1, eight in a byte, the first in the lowest bit. Each row begins with a byte. */
    BITS,
    /** Rows differ in length and are not padded. Their values follow one another, with an offset for each row. */
    RAGGED,
    /**
     * Elements have one shape and are mostly 0. Only the elements other than 0 are stored, each after its place in the
     * row (int32, counted in elements). The receiver restores all elements.
     */
    SPARSE
}

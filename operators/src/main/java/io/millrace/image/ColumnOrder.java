package io.millrace.image;

/** The order in which a resize writes the columns of its result. */
public enum ColumnOrder {
    /** The order of the image. */
    AS_STORED,
    /** The opposite order: the pixels are those of a resize and a horizontal flip after it. */
    MIRRORED
}

package io.millrace.batch;

/** The rows that a packer copies into its memory. */
public enum Filling {
    /** Copies every sample, as a run does. */
    EVERY_ROW,
    /**
     * Copies every sample, except for long rows of {@linkplain io.millrace.sample.Field#stored stored} values that are not
     * converted. The micro-batch refers to these rows where they lie, which saves a copy.
     */
    NOT_STORED,
    /**
     * Copies each row of the memory once, to measure the stages after packing. Once a row holds the columns of a
     * sample, it keeps them: for later samples only position, index and label are written. Training on such rows is
     * meaningless.
     */
    ONCE
}

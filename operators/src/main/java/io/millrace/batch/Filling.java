package io.millrace.batch;

/** What a packer copies into its memory. */
public enum Filling {
    /** Every sample: what a run does. */
    EVERY_ROW,
    /**
     * Each row once, for measuring what comes behind: a row of the memory that holds a sample's columns keeps them, and of
     * later samples only position, index and label are written. What is trained on is nonsense then.
     */
    ONCE
}

package io.millrace.batch;

/** The way in which a packer hands on its micro-batches. */
public enum Handing {
    /** The packer lends its memory for the duration of the call, in which the network serializes the rows. */
    LEND,

    /** The receiver, an operator of the same task, keeps the memory until it closes the micro-batch. */
    OVER
}

package io.millrace.device.bench;

/** The moment at which a thread that enqueues a copy continues. */
public enum CopyMode {
    /** When the micro-batch is copied. */
    BLOCKING,
    /** At once. */
    ASYNCHRONOUS
}

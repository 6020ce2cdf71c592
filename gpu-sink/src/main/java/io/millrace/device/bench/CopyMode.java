package io.millrace.device.bench;

/** The moment at which a thread that enqueues a copy continues. */
public enum CopyMode {
    /** The thread continues when the micro-batch is copied. */
    BLOCKING,
    /** The thread continues at once. */
    ASYNCHRONOUS
}

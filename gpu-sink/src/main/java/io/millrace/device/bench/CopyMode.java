package io.millrace.device.bench;

/** When the thread that asks for a copy goes on. */
public enum CopyMode {
    /** When the micro-batch is copied. */
    BLOCKING,
    /** At once. */
    ASYNCHRONOUS
}

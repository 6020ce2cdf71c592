package io.millrace.sink.files;

/** The choice whether a run writes its curves for TensorBoard. */
public enum Events {
    /** No curves are written. */
    NONE,
    /** The curves are written to files named {@code events.out.tfevents...}. */
    WRITTEN
}

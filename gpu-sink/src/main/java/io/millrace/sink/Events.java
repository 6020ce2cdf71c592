package io.millrace.sink;

/** Whether a run writes its curves for TensorBoard. */
public enum Events {
    /** It does not. */
    NONE,
    /** It does, in files named {@code events.out.tfevents...}. */
    WRITTEN
}

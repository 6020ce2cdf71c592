package io.millrace.sample;

/**
 * The two datasets of a run that a sample can come from. The order is part of serialized forms, so new constants must
 * be added at the end.
 */
public enum Split {
    TRAIN,
    EVALUATE
}

package io.millrace.sample;

/** Which of a run's two datasets a sample comes from. The order is part of serialized forms: append only. */
public enum Split {
    TRAIN,
    EVALUATE
}

package io.millrace.sink.files;

/** The choice whether a run records which samples each step trained on. */
public enum Ledger {
    /** No samples are recorded. */
    NONE,
    /** The samples are recorded in {@code ledger.csv}. */
    WRITTEN
}

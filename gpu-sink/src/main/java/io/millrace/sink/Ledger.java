package io.millrace.sink;

/** Whether a run writes down which samples each step trained on. */
public enum Ledger {
    /** It does not. */
    NONE,
    /** It does, in {@code ledger.csv}. */
    WRITTEN
}

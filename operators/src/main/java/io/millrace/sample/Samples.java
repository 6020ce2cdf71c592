package io.millrace.sample;

/**
 * One or several consecutive samples of a run, which pass a stage as one record. Transforms receive single {@linkplain Sample
 * samples}. Where reading is followed by packing, {@linkplain SampleRows rows} pass together, because a record would cost more
 * than the values of a short row.
 */
public sealed interface Samples permits Sample, SampleRows {
    /** Returns the number of samples, at least 1. */
    int count();
}

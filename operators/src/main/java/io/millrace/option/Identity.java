package io.millrace.option;

/**
 * The part of a run's identity that an option decides. A run continues only from a state whose run had the same identity, because
 * the state counts positions and batches.
 */
public enum Identity {
    /** Which samples a batch has, their order, or their values. Clients of a served run store these options, too. */
    BATCHES,

    /** What a trainer makes of its batches, or which batches it gets. Clients of a served run decide that themselves. */
    TRAINING,

    /** Neither: a run may continue with another value. */
    NOTHING
}

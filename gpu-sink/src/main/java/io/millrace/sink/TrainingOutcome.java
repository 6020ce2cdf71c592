package io.millrace.sink;

/** The ways in which a training ends and leaves a model. */
enum TrainingOutcome {
    /** The input has ended. */
    FINISHED,
    /** The job was stopped with a savepoint. */
    STOPPED
}

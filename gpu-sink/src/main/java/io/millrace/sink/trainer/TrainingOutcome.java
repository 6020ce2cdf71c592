package io.millrace.sink.trainer;

/** The ways in which a training ends and leaves a model. */
enum TrainingOutcome {
    /** The input has ended. */
    FINISHED,
    /** The job was stopped with a savepoint. */
    STOPPED
}

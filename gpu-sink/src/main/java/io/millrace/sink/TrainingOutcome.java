package io.millrace.sink;

/** How a training ends that leaves a model. */
enum TrainingOutcome {
    /** The input came to its end. */
    FINISHED,
    /** The job was stopped with a savepoint. */
    STOPPED
}

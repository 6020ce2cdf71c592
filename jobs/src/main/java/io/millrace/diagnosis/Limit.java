package io.millrace.diagnosis;

/**
 * A limit of a pipeline's throughput.
 *
 * @param culprit the name of the stage that causes the limit, or of a resource when no stage does
 * @param samplesPerSecond the throughput that the limit allows, above 0; infinite when there is no cost
 */
public record Limit(Kind kind, String culprit, double samplesPerSecond) {
    /** The resource that is used up. */
    public enum Kind {
        /** The time of the threads of the stage's task. */
        SLOTS,
        /** The machines' cores; the culprit uses most of them. */
        CORES,
        /** The time of the trainer's thread, spent on other work than training steps. */
        TRAINER,
        /** The training step itself: the ceiling. */
        TRAINING,
        /** The link to the device. */
        LINK,
        /** The storage that holds the dataset. */
        STORAGE,
        /** The network between the data servers and the trainer. */
        NETWORK,
        /** A few threads of the culprit's task that are slower than the others. */
        STRAGGLER,
        /** A few samples that cost many times as much as the others. */
        SAMPLES,
        /** Evaluation, on the data servers or in the trainer. */
        EVALUATION,
        /** Other programs, which use the machines' cores. */
        OTHERS,
        /** Garbage collections, which stop all threads of a process. */
        COLLECTIONS
    }

    public Limit {
        if (!(samplesPerSecond > 0)) {
            throw new IllegalArgumentException(
                    culprit + ": samples/s: expected more than 0, found " + samplesPerSecond);
        }
    }

    /** Returns whether a stage on the data servers is the culprit, by its own time and not by the use of the cores. */
    boolean isOfDataStage() {
        return kind == Kind.SLOTS || kind == Kind.STORAGE || isUneven();
    }

    /** Returns whether everything waits for one slot or one sample, while the other slots could do more. */
    boolean isUneven() {
        return kind == Kind.STRAGGLER || kind == Kind.SAMPLES;
    }
}

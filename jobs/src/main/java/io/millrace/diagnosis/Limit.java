package io.millrace.diagnosis;

/**
 * Something that keeps a pipeline from being faster.
 *
 * @param culprit the stage to be fixed, or the resource where no stage is to blame
 * @param samplesPerSecond what it allows; infinite where it costs nothing
 */
public record Limit(Kind kind, String culprit, double samplesPerSecond) {
    /** What runs out. */
    public enum Kind {
        /** The time of the threads of the stage's task. */
        SLOTS,
        /** The machines' processors; the culprit takes most of them. */
        CORES,
        /** The trainer's thread, in something other than training steps. */
        TRAINER,
        /** The training step itself: the ceiling. */
        TRAINING,
        /** The way to the device. */
        LINK,
        /** The storage that the dataset is on. */
        STORAGE,
        /** The way from the data servers to the trainer. */
        NETWORK,
        /** Single threads of the culprit's task that are slower than the rest. */
        STRAGGLER,
        /** Single samples that cost many times what others do. */
        SAMPLES,
        /** Evaluation, wherever it takes the time of threads. */
        EVALUATION,
        /** Programs beside the job, which take the machines' processors. */
        OTHERS
    }

    public Limit {
        if (!(samplesPerSecond > 0)) {
            throw new IllegalArgumentException(
                    culprit + ": samples/s: expected more than 0, found " + samplesPerSecond);
        }
    }

    /** Whether all have to wait for one slot or one sample, while the others could do more. */
    boolean isUneven() {
        return kind == Kind.STRAGGLER || kind == Kind.SAMPLES;
    }
}

package io.millrace.train;

import io.millrace.train.TrainStep.EvaluationResult;

/**
 * An evaluation batch whose work was enqueued. On a device that works asynchronously its result arrives later. Only the
 * trainer's thread calls it.
 */
public interface PendingEvaluation {
    /** Returns an evaluation that is done. */
    static PendingEvaluation done(EvaluationResult result) {
        return new PendingEvaluation() {
            @Override
            public boolean isDone() {
                return true;
            }

            @Override
            public EvaluationResult result() {
                return result;
            }
        };
    }

    /** Returns whether the result has arrived; does not wait. */
    boolean isDone();

    /**
     * Returns the result, and waits for it.
     *
     * @throws io.millrace.train.input.LabelOutOfRangeException when a class number that only the device has seen is not
     *     one of the model's classes
     */
    EvaluationResult result();
}

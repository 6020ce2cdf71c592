package io.millrace.train;

import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.input.LabelOutOfRangeException;

/**
 * A step whose work was enqueued. On a device that works asynchronously its result arrives later. Only the trainer's thread
 * calls it.
 */
public interface PendingStep {
    /** Returns a step that is done. */
    static PendingStep done(StepResult result) {
        return new PendingStep() {
            @Override
            public boolean isDone() {
                return true;
            }

            @Override
            public StepResult result() {
                return result;
            }
        };
    }

    /** Returns whether the result has arrived; does not wait. */
    boolean isDone();

    /**
     * Returns the result, and waits for it.
     *
     * @throws LabelOutOfRangeException when a class number that only the device has seen is not one of the model's classes
     */
    StepResult result();
}

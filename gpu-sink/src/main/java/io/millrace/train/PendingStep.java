package io.millrace.train;

import io.millrace.train.TrainStep.StepResult;
import io.millrace.train.input.LabelOutOfRangeException;

/** A step that was asked for. On a device that works beside the processor its result comes later. The trainer's thread alone calls. */
public interface PendingStep {
    /** One that is done. */
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

    /** Whether the result is there; does not wait. */
    boolean isDone();

    /**
     * What the step did; waits for it. Waiting counts as computing.
     *
     * @throws LabelOutOfRangeException when a class number that only the device has seen is none of the model's
     */
    StepResult result();
}

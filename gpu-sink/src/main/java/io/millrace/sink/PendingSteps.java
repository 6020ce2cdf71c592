package io.millrace.sink;

import io.millrace.train.PendingStep;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The steps that were enqueued and whose results have not been passed on. On an asynchronous device, up to two steps
 * are pending at a time: when the device ends a step, the next step is already there. More steps are not enqueued
 * ahead. Only the trainer's thread calls it.
 */
final class PendingSteps {
    /** The largest number of pending steps: one is computed while the other waits. */
    private static final int MOST = 2;

    /** The receiver of results, called for each step in order. */
    @FunctionalInterface
    interface Listener {
        /**
         * Receives the result of a step.
         *
         * @param began the time when the step was enqueued, by System.nanoTime
         * @param waitNanos the time for which the trainer waited for the step's batch
         */
        void done(TrainedBatch batch, StepResult result, long began, long waitNanos) throws IOException;
    }

    private record Pending(TrainedBatch batch, PendingStep step, long began, long waitNanos) {}

    private final Deque<Pending> steps = new ArrayDeque<>();
    private final Listener listener;

    PendingSteps(Listener listener) {
        this.listener = listener;
    }

    /**
     * Adds a step and passes on the results that are ready. When too many steps are pending, waits for the first
     * result.
     */
    void add(TrainedBatch batch, PendingStep step, long began, long waitNanos) throws IOException {
        steps.add(new Pending(batch, step, began, waitNanos));
        while (!steps.isEmpty() && (steps.size() > MOST || steps.element().step.isDone())) {
            passOnFirst();
        }
    }

    /** Waits for all results and passes them on. */
    void settle() throws IOException {
        while (!steps.isEmpty()) {
            passOnFirst();
        }
    }

    private void passOnFirst() throws IOException {
        Pending first = steps.remove();
        listener.done(first.batch, first.step.result(), first.began, first.waitNanos);
    }
}

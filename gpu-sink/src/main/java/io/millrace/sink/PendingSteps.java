package io.millrace.sink;

import io.millrace.train.PendingStep;
import io.millrace.train.TrainStep.StepResult;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Steps that were asked for and whose results are not told yet. On a device that works beside the processor a few are under
 * way at a time: the device then has its next step when it ends one, and the processor is not more ahead than that. The
 * trainer's thread alone calls.
 */
final class PendingSteps {
    /** One is computed, one waits for it. */
    private static final int MOST = 2;

    /** Hears of each step in order. */
    @FunctionalInterface
    interface Listener {
        /**
         * A step is done.
         *
         * @param began when it was asked for, by System.nanoTime
         * @param waitNanos how long its batch was waited for
         */
        void done(TrainedBatch batch, StepResult result, long began, long waitNanos) throws IOException;
    }

    private record UnderWay(TrainedBatch batch, PendingStep step, long began, long waitNanos) {}

    private final Deque<UnderWay> steps = new ArrayDeque<>();
    private final Listener listener;

    PendingSteps(Listener listener) {
        this.listener = listener;
    }

    /** Takes a step, tells of those that are done, and waits for the first where too many are not. */
    void add(TrainedBatch batch, PendingStep step, long began, long waitNanos) throws IOException {
        steps.add(new UnderWay(batch, step, began, waitNanos));
        while (!steps.isEmpty() && (steps.size() > MOST || steps.element().step.isDone())) {
            tellFirst();
        }
    }

    /** Waits for all. */
    void settle() throws IOException {
        while (!steps.isEmpty()) {
            tellFirst();
        }
    }

    private void tellFirst() throws IOException {
        UnderWay first = steps.remove();
        listener.done(first.batch, first.step.result(), first.began, first.waitNanos);
    }
}

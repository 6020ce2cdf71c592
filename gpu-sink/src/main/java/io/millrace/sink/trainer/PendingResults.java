package io.millrace.sink.trainer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * The training steps and evaluation batches that were enqueued and whose results have not been passed on. On an
 * asynchronous device, up to two are pending at a time: when the device ends one, the next is already there. More are
 * not enqueued ahead. Only the trainer's thread calls it.
 */
final class PendingResults {
    /** The largest number of pending steps: one is computed while the other waits. */
    private static final int MOST = 2;

    /** The action that passes on a result. It waits for the result if necessary. */
    @FunctionalInterface
    interface Result {
        void passOn() throws IOException;
    }

    private record Pending(BooleanSupplier isDone, Result result) {}

    private final Deque<Pending> steps = new ArrayDeque<>();

    /**
     * Adds a step or an evaluation batch, and passes on the results that are ready, in order. When too many are
     * pending, waits for the first result.
     *
     * @param isDone returns whether the result is there; does not wait
     */
    void add(BooleanSupplier isDone, Result result) throws IOException {
        steps.add(new Pending(isDone, result));
        while (!steps.isEmpty()
                && (steps.size() > MOST || steps.element().isDone.getAsBoolean())) {
            steps.remove().result.passOn();
        }
    }

    /** Waits for all results and passes them on. */
    void settle() throws IOException {
        while (!steps.isEmpty()) {
            steps.remove().result.passOn();
        }
    }
}

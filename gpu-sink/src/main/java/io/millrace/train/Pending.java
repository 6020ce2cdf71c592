package io.millrace.train;

import io.millrace.train.input.LabelOutOfRangeException;

/**
 * The result of a step or an evaluation batch whose work was enqueued. On a device that works asynchronously it arrives
 * later. Only the trainer's thread calls it.
 *
 * @param <T> the type of the result
 */
public interface Pending<T> {
    /** Returns a result that has already arrived. */
    static <T> Pending<T> done(T result) {
        return new Pending<>() {
            @Override
            public boolean isDone() {
                return true;
            }

            @Override
            public T result() {
                return result;
            }
        };
    }

    /** Returns whether the result has arrived; does not wait. */
    boolean isDone();

    /**
     * Returns the result, and waits for it.
     *
     * @throws LabelOutOfRangeException when a class number that only the device can read is not one of the model's
     *     classes
     */
    T result();
}

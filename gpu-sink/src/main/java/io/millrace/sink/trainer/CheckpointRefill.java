package io.millrace.sink.trainer;

/**
 * The division of the wait before a training step into starvation and the refill after a checkpoint. Before its state is
 * copied, the trainer trains on all complete batches. Afterwards it waits until the next batch has arrived, even if the data
 * is fast enough otherwise. The refill is the time by which the first wait after a checkpoint exceeds the wait before it.
 * Only the trainer's thread uses it.
 */
final class CheckpointRefill {
    private boolean copied;
    private long previousNanos;

    /** Records that the state was copied. */
    void copied() {
        copied = true;
    }

    /** Records that an evaluation batch was the first one after the copy. Then the wait is a part of the evaluation. */
    void evaluated() {
        copied = false;
    }

    /**
     * Adds the wait before a training step.
     *
     * @param waitNanos the whole wait before the step, at least 0
     * @return the part of it that is refill, 0 to {@code waitNanos}
     */
    long of(long waitNanos) {
        long refill = copied ? Math.max(0, waitNanos - previousNanos) : 0;
        copied = false;
        previousNanos = waitNanos;
        return refill;
    }
}

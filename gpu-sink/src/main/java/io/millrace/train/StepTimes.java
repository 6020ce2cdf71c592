package io.millrace.train;

/**
 * The parts of one training step's time, in nanoseconds. On the host they are the times of the work itself. On a device that
 * works asynchronously they would only be the times of enqueueing it.
 *
 * @param targets the time in which the targets were made
 * @param inputs the time in which the device's transforms were applied to the batch, and the results were stored where
 *     the model reads them, in one pass
 * @param forward the time of the model and its loss
 * @param backward the time of the gradients
 * @param exchange the time of averaging gradients with the replicas; {@link #NONE} without replicas
 * @param optimizer the time of the parameters' update
 */
public record StepTimes(long targets, long inputs, long forward, long backward, long exchange, long optimizer) {
    /** The time of a part that the step does not have. */
    public static final long NONE = -1;
}

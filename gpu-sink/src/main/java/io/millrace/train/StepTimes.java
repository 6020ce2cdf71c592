package io.millrace.train;

/**
 * Where the time of one training step went, in nanoseconds. On a device that works beside the processor these would be the
 * times of asking for the work; the host's are those of the work.
 *
 * @param targets making what the loss compares with
 * @param inputs copying the batch to where the model reads it, and the device's transforms, which are one pass
 * @param forward the model and its loss
 * @param backward the gradients
 * @param exchange averaging them with the replicas; {@link #NONE} without any
 * @param optimizer the update of the parameters
 */
public record StepTimes(long targets, long inputs, long forward, long backward, long exchange, long optimizer) {
    /** Of a part that was not there. */
    public static final long NONE = -1;
}

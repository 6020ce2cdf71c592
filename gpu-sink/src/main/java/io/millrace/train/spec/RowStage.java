package io.millrace.train.spec;

import java.io.Serializable;

/**
 * A transform of the samples' list that runs on the device, on the rows of a batch.
 *
 * @param number the stage number that the transform would have on the data servers. It determines the random numbers of
 *     the transform, see {@link io.millrace.order.SampleRandom}
 */
public record RowStage(Component part, int number) implements Serializable {}

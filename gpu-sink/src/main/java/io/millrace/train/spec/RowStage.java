package io.millrace.train.spec;

import java.io.Serializable;

/**
 * A transform of the samples' list that runs on the device, on the rows of a batch.
 *
 * @param number the number of the stage that it would be on the data servers. Its random numbers are those of that stage,
 *     see {@link io.millrace.order.SampleRandom}
 */
public record RowStage(Component part, int number) implements Serializable {}

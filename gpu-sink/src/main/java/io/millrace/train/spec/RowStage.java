package io.millrace.train.spec;

import java.io.Serializable;

/**
 * A transform of a list for samples that is done to rows on the device.
 *
 * @param number of the stage that it would be on the data servers: what it draws are that stage's random numbers, see {@link
 *     io.millrace.order.SampleRandom}
 */
public record RowStage(Component part, int number) implements Serializable {}

package io.millrace.train.spec;

import java.io.Serializable;

/**
 * The length of a run, for schedules that count in epochs or end with the run.
 *
 * @param stepsPerEpoch the number of steps in an epoch
 * @param epochs the number of epochs, 0 when the run is endless
 */
public record RunLength(long stepsPerEpoch, int epochs) implements Serializable {}

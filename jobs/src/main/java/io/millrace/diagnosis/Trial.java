package io.millrace.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * How fast a pipeline ran, after warm-up.
 *
 * @param samplesPerSecond the median of the latest stretches of time; where evaluation or checkpoints made pauses, the mean of
 *     all of it
 * @param spread half of the distance between their quartiles, as a share of it; null when there were too few of them
 * @param measurement of the time after warm-up
 * @param busy the share of the machines' cores that was busy, whoever used them, 0 to 1; null when unknown
 */
public record Trial(
        double samplesPerSecond,
        @Nullable Double spread,
        Measurement measurement,
        @Nullable Double busy) {}

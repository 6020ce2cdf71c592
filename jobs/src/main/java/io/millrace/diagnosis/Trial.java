package io.millrace.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * The result of a trial: the speed of a pipeline after warm-up.
 *
 * @param samplesPerSecond the median of the latest intervals; the mean of the whole time when evaluation or checkpoints
 *     caused pauses
 * @param spread half of the distance between the quartiles of the intervals, divided by their median; null when there were
 *     too few intervals
 * @param measurement the measurement of the time after warm-up
 * @param busy the share of the machines' cores that all programs together kept busy, 0 to 1; null when unknown
 */
public record Trial(
        double samplesPerSecond,
        @Nullable Double spread,
        Measurement measurement,
        @Nullable Double busy) {}

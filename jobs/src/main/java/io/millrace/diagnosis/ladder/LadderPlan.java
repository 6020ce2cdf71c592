package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.TrialLimits;

/**
 * The settings of a ladder's measurement.
 *
 * @param samples the number of samples that each rung caches, at least 1; fewer are cached when the dataset or the free heap
 *     is too small
 * @param limits the limits of the trial of each rung
 */
public record LadderPlan(int samples, TrialLimits limits) {
    /** The default number of samples, large enough for the sizes of samples to average out. */
    public static final int SAMPLES = 256;

    public LadderPlan {
        if (samples < 1) {
            throw new IllegalArgumentException("samples: expected at least 1, found " + samples);
        }
    }
}

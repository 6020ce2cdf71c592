package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.TrialLimits;

/**
 * How a ladder is measured.
 *
 * @param samples that each rung caches, as far as the dataset has so many and the heap room
 * @param patience with each rung
 */
public record LadderPlan(int samples, TrialLimits limits) {
    /** So many that sizes even out. */
    public static final int SAMPLES = 256;

    public LadderPlan {
        if (samples < 1) {
            throw new IllegalArgumentException("samples: expected at least 1, found " + samples);
        }
    }
}

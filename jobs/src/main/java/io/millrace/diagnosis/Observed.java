package io.millrace.diagnosis;

import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import org.jspecify.annotations.Nullable;

/**
 * The throughput of a pipeline while its costs were measured.
 *
 * @param samplesPerSecond the samples per second that were trained on; null when unknown
 * @param starvation the share of the trainer's time spent waiting for a whole batch, 0 to 1; null when unknown
 * @param storing the share of the time in which Flink stored checkpoints, 0 to 1; null when unknown
 * @param unit the word for the samples in the throughput
 * @param packs the fill of the packs, if the samples are packs of documents; null otherwise, or when unknown
 */
public record Observed(
        @Nullable Double samplesPerSecond,
        @Nullable Double starvation,
        @Nullable Double storing,
        SampleUnit unit,
        @Nullable PackFill packs) {
    /** An observation without any figure. */
    public static final Observed NOTHING = new Observed(null, null);

    /** Creates an observation of a pipeline whose checkpoints are unknown. */
    public Observed(@Nullable Double samplesPerSecond, @Nullable Double starvation) {
        this(samplesPerSecond, starvation, null, SampleUnit.SAMPLES, null);
    }

    /** Creates an observation of a job with this setting. */
    Observed(double samplesPerSecond, @Nullable Double starvation, @Nullable Double storing, Setting setting) {
        this(samplesPerSecond, starvation, storing, setting.unit(), setting.packs());
    }

    public Observed {
        if (starvation != null && !(starvation >= 0 && starvation <= 1)) {
            throw new IllegalArgumentException("starvation: expected 0 to 1, found " + starvation);
        }
        if (storing != null && !(storing >= 0 && storing <= 1)) {
            throw new IllegalArgumentException("storing checkpoints: expected 0 to 1, found " + storing);
        }
        if (samplesPerSecond != null && !(samplesPerSecond >= 0)) {
            throw new IllegalArgumentException("samples/s: expected at least 0, found " + samplesPerSecond);
        }
    }
}

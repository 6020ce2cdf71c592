package io.millrace.report.html;

import org.jspecify.annotations.Nullable;

/**
 * The throughput of a pipeline with samples cached at some place. Null means unknown.
 *
 * @param cache the place of the cache, for readers
 * @param stage the stage that this rung adds; null on the first rung
 * @param imagesPerSecond the throughput; null when it could not be measured
 * @param spread the relative spread of the measurements, 0.03 for 3 %
 * @param busy the share of the CPU time that was used, 0 to 1
 * @param timeShare the time that the stage adds to a sample, as a share of a sample's time on the lowest rung; may be
 *     negative by chance
 * @param modelled the throughput that the capacity model predicts from the stages' own times, in samples per second
 */
public record LadderRung(
        String cache,
        @Nullable String stage,
        @Nullable Double imagesPerSecond,
        @Nullable Double spread,
        @Nullable Double busy,
        @Nullable Double timeShare,
        @Nullable Double modelled) {
    public LadderRung {
        if (imagesPerSecond != null && !(imagesPerSecond >= 0)) {
            throw new IllegalArgumentException(
                    "throughput of '" + cache + "': expected at least 0, found " + imagesPerSecond);
        }
    }
}

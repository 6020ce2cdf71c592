package io.millrace.report.html;

import org.jspecify.annotations.Nullable;

/**
 * How fast a pipeline is with samples cached at some place; null is unknown.
 *
 * @param cache where, for people
 * @param stage that comes in with this rung; null on the first
 * @param imagesPerSecond null when it could not be measured
 * @param spread of the measurements, relative, 0.03 for 3 %
 * @param busy share of the processors, 0 to 1
 * @param timeShare of a sample's time on the lowest rung, what the stage adds; below 0 by chance
 * @param modelled images/s that the stages' own times explain
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
            throw new IllegalArgumentException("images/s of '" + cache + "' is " + imagesPerSecond);
        }
    }
}

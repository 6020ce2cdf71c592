package io.millrace.report.html;

import org.jspecify.annotations.Nullable;

/**
 * How fast a pipeline is with samples cached at some place.
 *
 * @param cache where, for people
 * @param spread of the measurements, relative, 0.03 for 3 %; null when it is not known
 */
public record LadderRung(
        String cache, double imagesPerSecond, @Nullable Double spread) {
    public LadderRung {
        if (!(imagesPerSecond >= 0)) {
            throw new IllegalArgumentException("images/s of '" + cache + "' is " + imagesPerSecond);
        }
    }
}

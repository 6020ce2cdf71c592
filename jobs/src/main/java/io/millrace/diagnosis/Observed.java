package io.millrace.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * What a pipeline did while its costs were measured.
 *
 * @param samplesPerSecond trained on; null when unknown
 * @param starvation share of the trainer's time that it waited for a whole batch, 0 to 1; null when unknown
 */
public record Observed(
        @Nullable Double samplesPerSecond, @Nullable Double starvation) {
    /** Nothing is known. */
    public static final Observed NOTHING = new Observed(null, null);

    public Observed {
        if (starvation != null && !(starvation >= 0 && starvation <= 1)) {
            throw new IllegalArgumentException("starvation: expected 0 to 1, found " + starvation);
        }
        if (samplesPerSecond != null && !(samplesPerSecond >= 0)) {
            throw new IllegalArgumentException("samples/s: expected at least 0, found " + samplesPerSecond);
        }
    }
}

package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.TrialLimits;
import io.millrace.diagnosis.SteadySpeed;
import org.jspecify.annotations.Nullable;

/**
 * How fast a trainer was with batches that were there already.
 *
 * @param host with batches in host memory: transfer and step; null when nothing was measured
 * @param device with the step alone; null for a trainer that has none
 */
record TrainerSpeed(@Nullable Speed host, @Nullable Speed device) {
    /**
     * A speed.
     *
     * @param spread as of a {@link io.millrace.diagnosis.Trial}; null when too little was measured
     * @param busy share of the machine's cores that this process kept busy, 0 to 1; null when unknown
     */
    record Speed(
            double samplesPerSecond,
            @Nullable Double spread,
            @Nullable Double busy) {
        static @Nullable Speed of(SteadySpeed speed, @Nullable Double busy) {
            return speed.samplesPerSecond().isEmpty()
                    ? null
                    : new Speed(
                            speed.samplesPerSecond().getAsDouble(),
                            speed.spread().isPresent()
                                    ? Double.valueOf(speed.spread().getAsDouble())
                                    : null,
                            busy);
        }
    }

    /** Whether a speed is known well enough. */
    static boolean steady(SteadySpeed speed, TrialLimits limits) {
        return speed.spread().orElse(Double.MAX_VALUE) <= limits.spread();
    }
}

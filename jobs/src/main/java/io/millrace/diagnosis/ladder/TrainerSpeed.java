package io.millrace.diagnosis.ladder;

import io.millrace.diagnosis.SteadySpeed;
import io.millrace.diagnosis.TrialLimits;
import org.jspecify.annotations.Nullable;

/**
 * The speed of a trainer whose batches are always ready.
 *
 * @param host the speed of transfer and step, with batches in host memory; null when nothing was measured
 * @param device the speed of the step alone; null for a trainer without steps
 */
record TrainerSpeed(@Nullable Speed host, @Nullable Speed device) {
    /**
     * A measured speed.
     *
     * @param spread the spread, as in {@link io.millrace.diagnosis.Trial}; null when too little was measured
     * @param busy the share of the machine's cores that this process kept busy, 0 to 1; null when unknown
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

    /** Returns whether the spread of a speed is within the limits. */
    static boolean steady(SteadySpeed speed, TrialLimits limits) {
        return speed.spread().orElse(Double.MAX_VALUE) <= limits.spread();
    }
}

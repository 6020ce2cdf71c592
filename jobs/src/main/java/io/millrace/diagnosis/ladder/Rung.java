package io.millrace.diagnosis.ladder;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The measurement with samples cached at a border.
 *
 * @param cache the name of the rung
 * @param above the stage that this rung runs and the rung above does not; empty at the top
 * @param samplesPerSecond the measured speed; null when it could not be measured, for example for a trainer without
 *     steps
 * @param spread half of the distance between the quartiles, divided by the median; null when too little was measured
 * @param busy the share of the machine's cores that was busy, 0 to 1; null when unknown
 * @param modelled the speed that the capacity model predicts from the stages' own times with nothing cached; null when the
 *     model predicts none
 */
public record Rung(
        String cache,
        String above,
        @Nullable Double samplesPerSecond,
        @Nullable Double spread,
        @Nullable Double busy,
        @Nullable Double modelled) {
    private static final double FULL = 0.9;
    private static final double CLOSE = 0.25;

    /** The agreement between model and measurement. */
    public enum Agreement {
        /** The model is at most 25 % away from the measurement. */
        AGREES,
        /** The model is more than 25 % away from the measurement. */
        DIFFERS,
        /** The model or the measurement is missing. */
        UNKNOWN
    }

    static Rung unknown(Border border) {
        return new Rung(border.cache(), border.above(), null, null, null, null);
    }

    /** Returns whether so many cores were in use that any further work slows the rest. */
    public boolean coresFull() {
        return busy != null && busy >= FULL;
    }

    OptionalDouble rate() {
        return samplesPerSecond == null ? OptionalDouble.empty() : OptionalDouble.of(samplesPerSecond);
    }

    /** Returns whether the stages' own times explain the measured speed. */
    public Agreement agreement() {
        if (samplesPerSecond == null || modelled == null) {
            return Agreement.UNKNOWN;
        }
        return Math.abs(modelled - samplesPerSecond) <= CLOSE * samplesPerSecond ? Agreement.AGREES : Agreement.DIFFERS;
    }
}

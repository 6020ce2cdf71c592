package io.millrace.diagnosis.ladder;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What was measured with samples cached at a border.
 *
 * @param samplesPerSecond null when it could not be measured, as the step of a trainer that has none
 * @param spread half of the distance between the quartiles as a share of the median; null when too little was measured
 * @param busy share of the processors, 0 to 1; null when unknown
 * @param modelled what the capacity model says of it by the stages' own times, measured with nothing cached; null where
 *     it says nothing
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

    /** What model and measurement say of each other. */
    public enum Agreement {
        /** They are less than a quarter apart. */
        AGREES,
        /** They are further apart. */
        DIFFERS,
        /** One of them is missing. */
        UNKNOWN
    }

    static Rung unknown(Border border) {
        return new Rung(border.cache(), border.above(), null, null, null, null);
    }

    /** So full that whatever else is run takes time from the rest. */
    public boolean processorFull() {
        return busy != null && busy >= FULL;
    }

    OptionalDouble rate() {
        return samplesPerSecond == null ? OptionalDouble.empty() : OptionalDouble.of(samplesPerSecond);
    }

    /** Whether the stages' own times explain what was measured. */
    public Agreement agreement() {
        if (samplesPerSecond == null || modelled == null) {
            return Agreement.UNKNOWN;
        }
        return Math.abs(modelled - samplesPerSecond) <= CLOSE * samplesPerSecond ? Agreement.AGREES : Agreement.DIFFERS;
    }
}

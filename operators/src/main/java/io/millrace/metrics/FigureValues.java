package io.millrace.metrics;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of figures over all slots of a stage, at one moment.
 *
 * @param known the values by statistic, each in the unit of its figure; a value that is not known is absent
 */
public record FigureValues(Map<Statistic, Double> known) {
    /** No value is known. */
    public static final FigureValues NONE = new FigureValues(Map.of());

    private static final double NANOS_PER_MILLI = 1e6;

    public FigureValues {
        known = Map.copyOf(known);
    }

    /**
     * Reads the values of statistics.
     *
     * @param source returns the value of a statistic in the unit of its figure; null when it is not known
     */
    public static FigureValues read(Collection<Statistic> statistics, Function<Statistic, @Nullable Double> source) {
        Map<Statistic, Double> known = new LinkedHashMap<>();
        for (Statistic statistic : statistics) {
            Double value = source.apply(statistic);
            if (value != null && Double.isFinite(value)) {
                known.put(statistic, value);
            }
        }
        return new FigureValues(known);
    }

    /** Returns these values with a figure's main statistic, in the figure's unit; null leaves it unknown. */
    public FigureValues with(Figure figure, @Nullable Number value) {
        return with(figure.main(), value);
    }

    /** Returns these values with a statistic, in its figure's unit; null leaves it unknown. */
    public FigureValues with(Statistic statistic, @Nullable Number value) {
        Map<Statistic, Double> more = new LinkedHashMap<>(known);
        if (value == null || !Double.isFinite(value.doubleValue())) {
            more.remove(statistic);
        } else {
            more.put(statistic, value.doubleValue());
        }
        return new FigureValues(more);
    }

    /** Returns these values, where values of an earlier moment replace unknown values. */
    public FigureValues orElse(FigureValues earlier) {
        Map<Statistic, Double> merged = new LinkedHashMap<>(earlier.known);
        merged.putAll(known);
        return new FigureValues(merged);
    }

    /** Returns a statistic in its figure's unit; null when it is not known. */
    public @Nullable Double number(Statistic statistic) {
        return known.get(statistic);
    }

    /** Returns a figure's main statistic in the figure's unit; null when it is not known. */
    public @Nullable Double number(Figure figure) {
        return number(figure.main());
    }

    /** Returns a statistic as a whole number; null when it is not known. */
    public @Nullable Long count(Statistic statistic) {
        Double value = known.get(statistic);
        return value == null ? null : Long.valueOf(Math.round(value));
    }

    /** Returns a figure's main statistic as a whole number; null when it is not known. */
    public @Nullable Long count(Figure figure) {
        return count(figure.main());
    }

    /** Returns a statistic of nanoseconds in milliseconds; null when it is not known. */
    public @Nullable Double millis(Statistic statistic) {
        Double nanos = known.get(statistic);
        return nanos == null ? null : Double.valueOf(nanos / NANOS_PER_MILLI);
    }

    /** Returns a figure's main statistic in milliseconds; null when it is not known. */
    public @Nullable Double millis(Figure figure) {
        return millis(figure.main());
    }

    /** Returns a statistic as {@code summary.json} contains it: counts as whole numbers, times in milliseconds. */
    public @Nullable Number shown(Statistic statistic) {
        return switch (statistic.unit()) {
            case COUNT, BYTES -> count(statistic);
            case NANOSECONDS -> millis(statistic);
            case PER_SECOND, CORES, GIGABYTES_PER_SECOND, SHARE, WATTS, NUMBER -> number(statistic);
        };
    }
}

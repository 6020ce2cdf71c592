package io.millrace.metrics;

import io.millrace.metrics.Statistic.Column;
import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import io.millrace.metrics.Statistic.Unit;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a value that a stage measures of itself and that Flink shows as a metric. All declarations are in
 * {@link Figures}.
 *
 * @param name the metric's name, which is found as {@code <subtask>.<operator>.millrace.<name>}
 * @param unit the unit of the value
 * @param histogram whether the metric is a histogram of values; otherwise it is a gauge
 * @param owners the operators that register the metric
 * @param statistics the numbers that are read over REST and kept for the end of the run
 * @param help one or more sentences for readers
 */
public record Figure(
        String name, Unit unit, boolean histogram, Set<Owner> owners, List<Statistic> statistics, String help) {
    /** The metric group that contains all figures. */
    public static final String GROUP = "millrace";

    /** An operator, or a part of one, that registers figures. */
    public enum Owner {
        /** Each stage from {@code read} to {@code pack}. */
        DATA_STAGE,
        /** The stage {@code train}. */
        TRAINER,
        /** The stage {@code read}, on behalf of its machine. */
        MACHINE,
        /** The stage {@code train}, on behalf of its device. */
        DEVICE
    }

    public Figure {
        owners = Set.copyOf(owners);
        statistics = List.copyOf(statistics);
        if (!help.endsWith(".")) {
            throw new IllegalArgumentException("help of figure " + name + ": expected sentences, found '" + help + "'");
        }
    }

    static Figure gauge(String name, Unit unit, String help, Owner first, Owner... others) {
        return new Figure(name, unit, false, EnumSet.of(first, others), List.of(), help);
    }

    static Figure histogram(String name, Unit unit, String help, Owner first, Owner... others) {
        return new Figure(name, unit, true, EnumSet.of(first, others), List.of(), help);
    }

    /** Returns this figure with one more statistic, which is neither in a table nor in {@code summary.json}. */
    Figure read(OverSlots overSlots) {
        return read(Part.VALUE, overSlots, null, null);
    }

    /** Returns this figure with one more statistic, which {@code summary.json} contains under the key. */
    Figure read(OverSlots overSlots, String key, @Nullable Column column) {
        return read(Part.VALUE, overSlots, key, column);
    }

    /** Returns this figure with one more statistic. */
    Figure read(Part part, OverSlots overSlots, @Nullable String key, @Nullable Column column) {
        Statistic more = new Statistic(name, unit, part, overSlots, key, column);
        return new Figure(
                name,
                unit,
                histogram,
                owners,
                Stream.concat(statistics.stream(), Stream.of(more)).toList(),
                help);
    }

    /** Returns the statistic that was declared first, which is the default where no statistic is named. */
    public Statistic main() {
        if (statistics.isEmpty()) {
            throw new IllegalStateException("figure " + name + " has no statistic that is read");
        }
        return statistics.get(0);
    }

    /** Returns the statistic of the histogram with this part. */
    public Statistic of(Part part) {
        return statistics.stream()
                .filter(statistic -> statistic.part() == part)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("figure " + name + " declares no statistic " + part));
    }

    /** Returns the statistic that combines the slots in this way. */
    public Statistic of(OverSlots overSlots) {
        return statistics.stream()
                .filter(statistic -> statistic.overSlots() == overSlots)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("figure " + name + " declares no statistic " + overSlots));
    }
}

package io.millrace.report;

import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic;
import io.millrace.rest.StageReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The columns in which tables show the figures of stages, as {@link Figures} declares them. */
public final class StageColumns {
    /** The text for a value that is not known. */
    public static final String UNKNOWN = "-";

    /** Small rates are shown with a decimal. */
    private static final double SMALL_RATE = 100;

    /** Times below this are shown with decimals, in milliseconds. */
    private static final double SHORT_MILLIS = 10;

    /**
     * A column.
     *
     * @param heading the heading
     * @param rank as in {@link Statistic.Column}
     * @param cell returns the text of a stage's cell
     */
    public record Shown(String heading, int rank, Function<StageReading, String> cell) {}

    private StageColumns() {}

    /** Returns the columns of all figures; the true rate follows the own time, from which it is computed. */
    public static List<Shown> shown() {
        List<Shown> columns = new ArrayList<>();
        for (Statistic statistic : Figures.statistics(Owner.DATA_STAGE)) {
            Statistic.Column column = statistic.column();
            if (column != null) {
                columns.add(new Shown(column.heading(), column.rank(), stage -> text(stage, statistic)));
            }
            if (statistic.equals(Figures.OWN_NANOS.main())) {
                columns.add(new Shown(
                        "samples/s per slot",
                        0,
                        stage -> rate(stage.recordsPerSecondPerSlot().orElse(null))));
            }
        }
        return columns;
    }

    private static String text(StageReading stage, Statistic statistic) {
        return switch (statistic.unit()) {
            case COUNT, BYTES -> count(stage.values().count(statistic));
            case NANOSECONDS -> millis(stage.values().millis(statistic), statistic.part());
            case PER_SECOND, CORES, GIGABYTES_PER_SECOND, SHARE, WATTS, NUMBER ->
                rate(stage.values().number(statistic));
        };
    }

    /** Returns a whole number with separators; a dash when it is not known. */
    public static String count(@Nullable Number value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", value.longValue());
    }

    /** Sums are shown in whole milliseconds, the time of one sample with the decimals that it needs. */
    private static String millis(@Nullable Double value, Statistic.Part part) {
        if (value == null) {
            return UNKNOWN;
        }
        boolean whole = part == Statistic.Part.VALUE || value >= SHORT_MILLIS || value == 0;
        return String.format(Locale.ROOT, whole ? "%,.0f" : value >= 1 ? "%.2f" : "%.4f", value);
    }

    private static String rate(@Nullable Double value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, value < SMALL_RATE ? "%,.1f" : "%,.0f", value);
    }
}

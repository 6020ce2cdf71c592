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

/** The columns of tables of stages. {@link Figures} declares the figures that they show. */
public final class StageColumns {
    /** The text for an unknown value. */
    public static final String UNKNOWN = "-";

    /** The mark at the name of a stage whose figures lack a part of the run. */
    private static final String MARK = " *";

    /** The sentence about marked stages, for a line below the table. */
    public static final String MARKED =
            "* at least: the figures before a restart, or of the last seconds on a cluster, are missing";

    /** The stage whose bad samples are those of the other stages: rows that were missing from batches. */
    private static final String TRAIN = "train";

    /** The limit below which rates are shown with a decimal. */
    private static final double SMALL_RATE = 100;

    /** The limit below which times are shown with decimals, in milliseconds. */
    private static final double SHORT_MILLIS = 10;

    /**
     * A column.
     *
     * @param heading the heading
     * @param rank the rank of the column, as in {@link Statistic.Column}
     * @param cell the function that returns the text of a stage's cell
     */
    public record Shown(String heading, int rank, Function<StageReading, String> cell) {}

    private StageColumns() {}

    /**
     * Returns the columns of all figures. The rate per slot follows the own time, because it is computed from the own
     * time.
     */
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

    /** Returns the text that names a stage. */
    public static String name(StageReading stage) {
        return stage.atLeast() ? stage.name() + MARK : stage.name();
    }

    private static String text(StageReading stage, Statistic statistic) {
        if (statistic.equals(Figures.FAILURES.main()) && stage.name().equals(TRAIN)) {
            return UNKNOWN; // each bad sample is shown once, at the stage that found it
        }
        return switch (statistic.unit()) {
            case COUNT, BYTES -> count(stage.values().count(statistic));
            case NANOSECONDS -> millis(stage.values().millis(statistic), statistic.part());
            case PER_SECOND, CORES, GIGABYTES_PER_SECOND, SHARE, WATTS, NUMBER ->
                rate(stage.values().number(statistic));
        };
    }

    /** Returns a whole number with separators, or a dash when it is unknown. */
    public static String count(@Nullable Number value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", value.longValue());
    }

    /**
     * Returns a time in milliseconds. Sums have no decimals, and the time of one sample has as many decimals as it
     * needs.
     */
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

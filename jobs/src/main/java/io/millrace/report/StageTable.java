package io.millrace.report;

import io.millrace.rest.StageReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The table of stages that a run ends with. */
public final class StageTable {
    private static final String UNKNOWN = "-";
    private static final String MARK = "> ";
    private static final String GAP = "  ";

    /** In order of place; what is least missed has the highest rank and goes first where the table is too wide. */
    private static final List<Column> COLUMNS = List.of(
            new Column("stage", 0, StageReading::name),
            new Column("slots", 3, stage -> count(stage.parallelism())),
            new Column("samples", 1, stage -> count(stage.records())),
            new Column("own ms", 2, stage -> millis(stage.ownMillis())),
            new Column(
                    "samples/s per slot",
                    0,
                    stage -> rate(stage.recordsPerSecondPerSlot().orElse(null))),
            new Column("CPU ms", 4, stage -> millis(stage.cpuMillis())),
            new Column("wait in ms", 5, stage -> millis(stage.waitInMillis())),
            new Column("wait out ms", 6, stage -> millis(stage.waitOutMillis())),
            new Column("bad", 1, stage -> count(stage.failures())));

    private static final int MOST_RANK = 6;

    private StageTable() {}

    private record Column(String heading, int rank, Function<StageReading, String> cell) {
        int width(List<StageReading> stages) {
            return stages.stream().mapToInt(stage -> cell.apply(stage).length()).reduce(heading.length(), Math::max);
        }

        String align(String text, int width) {
            String padding = " ".repeat(width - text.length());
            return equals(COLUMNS.get(0)) ? text + padding : padding + text;
        }
    }

    /**
     * Draws the table, in ASCII, one stage a line.
     *
     * @param limiting the stage to be marked, which keeps the rest from being faster; null for none
     * @param columns the width that lines should keep to; columns of less weight are left out for it
     */
    public static String render(List<StageReading> stages, int columns, @Nullable String limiting) {
        List<Column> shown = fitting(stages, columns);
        List<String> lines = new ArrayList<>();
        lines.add(line("", shown, stages, Column::heading));
        for (StageReading stage : stages) {
            lines.add(
                    line(stage.name().equals(limiting) ? MARK : "", shown, stages, column -> column.cell.apply(stage)));
        }
        return String.join("\n", lines) + "\n";
    }

    private static List<Column> fitting(List<StageReading> stages, int columns) {
        List<Column> shown = COLUMNS;
        for (int rank = MOST_RANK; rank > 0 && width(shown, stages) > columns; rank--) {
            int left = rank;
            shown = shown.stream().filter(column -> column.rank < left).toList();
        }
        return shown;
    }

    private static int width(List<Column> columns, List<StageReading> stages) {
        return columns.stream()
                .mapToInt(column -> GAP.length() + column.width(stages))
                .sum();
    }

    private static String line(
            String mark, List<Column> columns, List<StageReading> stages, Function<Column, String> cell) {
        String cells = columns.stream()
                .map(column -> column.align(cell.apply(column), column.width(stages)))
                .collect(Collectors.joining(GAP));
        return ((mark.isEmpty() ? GAP : mark) + cells).stripTrailing();
    }

    private static String count(@Nullable Number value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", value.longValue());
    }

    private static String millis(@Nullable Double value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String rate(@Nullable Double value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, value < 100 ? "%,.1f" : "%,.0f", value);
    }
}

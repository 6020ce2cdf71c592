package io.millrace.report;

import io.millrace.metrics.Statistic;
import io.millrace.rest.StageReading;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The table of stages at the end of a run. */
public final class StageTable {
    private static final String MARK = "> ";
    private static final String GAP = "  ";

    /** The columns from left to right. Columns with the highest rank are left out first when the terminal is narrow. */
    private static final List<Column> COLUMNS = columns();

    private static final int HIGHEST_RANK =
            COLUMNS.stream().mapToInt(Column::rank).max().orElse(0);

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

    private static List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("stage", 0, StageColumns::name));
        columns.add(new Column("slots", 3, stage -> StageColumns.count(stage.parallelism())));
        for (StageColumns.Shown shown : StageColumns.shown()) {
            if (shown.rank() != Statistic.Column.REPORT_ONLY) {
                columns.add(new Column(shown.heading(), shown.rank(), shown.cell()));
            }
        }
        return List.copyOf(columns);
    }

    /**
     * Draws the table in ASCII, with one line for each stage, and one about the stages whose figures lack a part of the run.
     *
     * @param limiting the stage to mark, which limits the throughput; null for none
     * @param columns the width of the terminal; columns with the highest ranks are left out until the table fits
     */
    public static String render(List<StageReading> stages, int columns, @Nullable String limiting) {
        List<Column> shown = fitting(stages, columns);
        List<String> lines = new ArrayList<>();
        lines.add(line("", shown, stages, Column::heading));
        for (StageReading stage : stages) {
            lines.add(
                    line(stage.name().equals(limiting) ? MARK : "", shown, stages, column -> column.cell.apply(stage)));
        }
        if (stages.stream().anyMatch(StageReading::atLeast)) {
            lines.add(GAP + StageColumns.MARKED);
        }
        return String.join("\n", lines) + "\n";
    }

    private static List<Column> fitting(List<StageReading> stages, int columns) {
        List<Column> shown = COLUMNS;
        for (int rank = HIGHEST_RANK; rank > 0 && width(shown, stages) > columns; rank--) {
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
}

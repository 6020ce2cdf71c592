package io.millrace.report;

import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import io.millrace.rest.StageReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The table of the lines of the user's code that cost most, for each stage that calls such code. */
public final class CodeTable {
    /** The headings of the columns of {@link #cells}. */
    public static final List<String> HEADINGS = List.of("share", "line", "function", "code");

    private static final int LONGEST_TEXT = 60;

    private CodeTable() {}

    /** Draws the tables of all stages in ASCII; an empty text for none. */
    public static String render(List<StageReading> stages) {
        StringBuilder text = new StringBuilder();
        for (StageReading stage : stages) {
            CodeProfile code = Objects.requireNonNull(stage.code(), stage.name());
            text.append(heading(stage)).append('\n');
            List<List<String>> rows = new ArrayList<>();
            cells(code)
                    .forEach(cells -> rows.add(List.of(
                            cells.get(0),
                            cells.get(1),
                            cells.get(2),
                            cells.get(3).length() <= LONGEST_TEXT
                                    ? cells.get(3)
                                    : cells.get(3).substring(0, LONGEST_TEXT) + "...")));
            for (List<String> row : rows) {
                StringBuilder line = new StringBuilder(" ");
                for (int i = 0; i < row.size(); i++) {
                    int column = i;
                    int width = rows.stream()
                            .mapToInt(cells -> cells.get(column).length())
                            .max()
                            .orElse(0);
                    String padding = " ".repeat(width - row.get(i).length());
                    line.append(' ')
                            .append(i == 0 ? padding + row.get(i) : row.get(i) + padding)
                            .append(' ');
                }
                text.append(line.toString().stripTrailing()).append('\n');
            }
        }
        return text.toString();
    }

    /** Returns the heading of a stage's table, such as "python augment:noise: 812 looks at the running function". */
    public static String heading(StageReading stage) {
        CodeProfile code = Objects.requireNonNull(stage.code(), stage.name());
        return String.format(
                Locale.ROOT, "%s %s: %,d looks at the running function", stage.name(), code.call(), code.samples());
    }

    /** Returns the cells of each line, one for each heading. */
    public static List<List<String>> cells(CodeProfile code) {
        return code.shown().stream().map(line -> cells(code, line)).toList();
    }

    private static List<String> cells(CodeProfile code, CodeLine line) {
        return List.of(
                String.format(Locale.ROOT, "%.1f %%", 100 * code.share(line)),
                line.place(),
                line.function(),
                line.text());
    }
}

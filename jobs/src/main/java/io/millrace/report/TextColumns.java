package io.millrace.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Columns of text in ASCII. Pure. */
public final class TextColumns {
    private TextColumns() {}

    /**
     * Returns a line for each row. The cells of a column stand below one another, and two spaces are between columns.
     *
     * @param rows the rows; a row may have fewer cells than others
     * @param left the numbers of the columns, from 0, whose cells stand to the left, as names do; the others stand to the right
     */
    public static List<String> aligned(List<List<String>> rows, Set<Integer> left) {
        List<Integer> widths = new ArrayList<>();
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                if (i == widths.size()) {
                    widths.add(0);
                }
                widths.set(i, Math.max(widths.get(i), row.get(i).length()));
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            List<String> cells = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                String padding = " ".repeat(widths.get(i) - row.get(i).length());
                cells.add(left.contains(i) ? row.get(i) + padding : padding + row.get(i));
            }
            lines.add(String.join("  ", cells).stripTrailing());
        }
        return lines;
    }
}

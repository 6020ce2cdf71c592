package io.millrace.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table at the end of {@code train --profile}, in ASCII. */
public final class ProfileTable {
    private static final String UNKNOWN = "-";

    /** The headings of the columns of {@link #cells}. */
    public static final List<String> HEADINGS = List.of("operation", "count", "total ms", "mean ms", "p99 ms", "share");

    private ProfileTable() {}

    /**
     * Draws the data stages and the operations of the trainers, with a line for each, in the order in which samples
     * pass through them. The lines of the user's code follow.
     */
    public static String render(Profile profile) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(HEADINGS);
        lines.add(List.of("data stages, all slots"));
        profile.data().forEach(row -> lines.add(indented(cells(row))));
        lines.add(List.of("training"));
        profile.training().forEach(row -> lines.add(indented(cells(row))));
        return String.join("\n", TextColumns.aligned(lines, Set.of(0))) + "\n" + CodeTable.render(profile.code());
    }

    private static List<String> indented(List<String> cells) {
        List<String> indented = new ArrayList<>(cells);
        indented.set(0, "  " + cells.get(0));
        return indented;
    }

    /** Returns the cells of an operation, one for each heading. A dash stands for an unknown value. */
    public static List<String> cells(Profile.Row row) {
        return List.of(
                row.operation(),
                row.count() == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", row.count()),
                number("%,.1f", row.totalMillis()),
                number("%,.4f", row.meanMillis()),
                number("%,.4f", row.p99Millis()),
                row.share() == null ? UNKNOWN : String.format(Locale.ROOT, "%.1f %%", 100 * row.share()));
    }

    private static String number(String format, @Nullable Double value) {
        return value == null ? UNKNOWN : String.format(Locale.ROOT, format, value);
    }
}

package io.millrace.report;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The terminal that standard error is, as the launcher found it: Java alone cannot tell.
 *
 * @param columns how wide it is
 * @param unicode whether its character set has more than ASCII
 */
public record Terminal(int columns, boolean unicode) {
    private static final int USUAL_COLUMNS = 80;
    private static final int FEWEST_COLUMNS = 20;

    /** The terminal, or empty when standard error is a file or a pipe. */
    public static Optional<Terminal> current() {
        return of(System.getProperty("millrace.columns"), System.getProperty("millrace.unicode"));
    }

    /** The width to format text for: the terminal's, or the usual one. */
    public static int textColumns() {
        return current().map(Terminal::columns).orElse(USUAL_COLUMNS);
    }

    static Optional<Terminal> of(@Nullable String columns, @Nullable String unicode) {
        if (columns == null) {
            return Optional.empty();
        }
        int width = columns.matches("[0-9]{1,4}") ? Integer.parseInt(columns) : USUAL_COLUMNS;
        // 0 is what terminals without a size say.
        return Optional.of(new Terminal(width < FEWEST_COLUMNS ? USUAL_COLUMNS : width, "true".equals(unicode)));
    }
}

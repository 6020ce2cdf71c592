package io.millrace.report;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The terminal that standard error writes to. The launcher detects it, because Java alone cannot.
 *
 * @param columns the width in characters
 * @param unicode whether the character set has more than ASCII
 */
public record Terminal(int columns, boolean unicode) {
    private static final int USUAL_COLUMNS = 80;
    private static final int FEWEST_COLUMNS = 20;

    /** Returns the terminal; empty when standard error is a file or a pipe. */
    public static Optional<Terminal> current() {
        return of(System.getProperty("millrace.columns"), System.getProperty("millrace.unicode"));
    }

    /** Returns the width for text: the width of the terminal, or the usual width without a terminal. */
    public static int textColumns() {
        return current().map(Terminal::columns).orElse(USUAL_COLUMNS);
    }

    static Optional<Terminal> of(@Nullable String columns, @Nullable String unicode) {
        if (columns == null) {
            return Optional.empty();
        }
        int width = columns.matches("[0-9]{1,4}") ? Integer.parseInt(columns) : USUAL_COLUMNS;
        // A terminal without a size reports a width of 0.
        return Optional.of(new Terminal(width < FEWEST_COLUMNS ? USUAL_COLUMNS : width, "true".equals(unicode)));
    }
}

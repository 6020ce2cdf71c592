package io.millrace.report;

import io.millrace.sample.VisibleText;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A view of the progress. In a terminal it draws a bar for the present epoch, redrawn in place, and the verdict below it.
 * Without a terminal it prints a plain line when nothing was printed for half a minute. Thread-safe, so that other threads can
 * print messages between the lines.
 */
public final class ProgressView implements AutoCloseable {
    private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(30);
    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final String LINE_UP = "\u001b[1A";

    private final PrintWriter out;
    private final Optional<Terminal> terminal;
    private final LongSupplier nanoTime;

    private @Nullable ProgressReading shown;

    /** The time of the latest line without a terminal. */
    private long printedNanos;

    /** The number of lines to redraw: 0, 1 for the bar, or 2 for the bar and the verdict. */
    private int openLines;

    /**
     * Creates a view.
     *
     * @param out the output, usually {@link TerminalOutput#rawErr} in the terminal's character set
     * @param terminal the terminal; empty when the output is a file or a pipe
     * @param nanoTime a clock like {@link System#nanoTime}
     */
    public ProgressView(Writer out, Optional<Terminal> terminal, LongSupplier nanoTime) {
        this.out = new PrintWriter(out);
        this.terminal = terminal;
        this.nanoTime = nanoTime;
        this.printedNanos = nanoTime.getAsLong();
    }

    /** Shows a reading. */
    public synchronized void show(ProgressReading reading) {
        if (terminal.isPresent()) {
            clear();
            draw(reading, terminal.get());
            out.flush();
        } else if (nanoTime.getAsLong() - printedNanos >= PLAIN_INTERVAL.toNanos()) {
            out.println(ProgressLine.plain(reading));
            if (reading.verdict() != null) {
                out.println("  " + VisibleText.of(reading.verdict()));
            }
            out.flush();
            printedNanos = nanoTime.getAsLong();
        }
        shown = reading;
    }

    /** Removes the bar, because training has finished its last epoch. */
    public synchronized void completed() {
        if (openLines > 0) {
            clear();
            out.print(CLEAR_LINE);
            out.flush();
        }
        shown = null;
    }

    /** Prints a line of text above the bar. */
    public synchronized void message(String line) {
        if (openLines > 0) {
            clear();
            out.print(CLEAR_LINE);
        }
        out.println(VisibleText.of(line));
        out.flush();
        printedNanos = nanoTime.getAsLong();
        if (terminal.isPresent() && shown != null) {
            show(shown);
        }
    }

    /** Keeps the last bar and begins a new line. The output stays open. */
    @Override
    public synchronized void close() {
        endLine();
        out.flush();
    }

    private void draw(ProgressReading reading, Terminal on) {
        out.print(CLEAR_LINE + bar(reading, on));
        openLines = 1;
        if (reading.verdict() != null) {
            String verdict = VisibleText.of(reading.verdict());
            out.println();
            out.print(CLEAR_LINE + verdict.substring(0, Math.min(verdict.length(), Math.max(0, on.columns() - 1))));
            openLines = 2;
        }
    }

    /** Moves the cursor back to the line of the bar, and removes the line of the verdict if there is one. */
    private void clear() {
        if (openLines == 2) {
            out.print(CLEAR_LINE + LINE_UP);
        }
        openLines = 0;
    }

    private void endLine() {
        if (openLines > 0) {
            out.println();
            openLines = 0;
        }
    }

    private static String bar(ProgressReading reading, Terminal terminal) {
        return ProgressLine.bar(reading, terminal.columns(), terminal.unicode() ? Glyphs.UNICODE : Glyphs.ASCII);
    }
}

package io.millrace.report;

import io.millrace.sample.VisibleText;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A view of the progress. In a terminal it draws a bar for each epoch, redrawn in place, and the verdict below it.
 * Without a terminal it prints plain lines, at most every ten seconds and for each new epoch. Thread-safe, so that
 * other threads can print messages between the lines.
 */
public final class ProgressView implements AutoCloseable {
    private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(10);
    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final String LINE_UP = "\u001b[1A";

    private final PrintWriter out;
    private final Optional<Terminal> terminal;
    private final LongSupplier nanoTime;

    private @Nullable ProgressReading shown;
    private long shownNanos;

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
    }

    /** Shows a reading. */
    public synchronized void show(ProgressReading reading) {
        ProgressReading before = shown;
        boolean newEpoch = before == null || before.epoch() != reading.epoch();
        if (terminal.isPresent()) {
            if (newEpoch && before != null) {
                // The last reading of an epoch is usually not at its end, because readings are made at fixed intervals.
                clear();
                out.print(CLEAR_LINE + bar(before.completed(reading.accuracyAfter(before)), terminal.get()));
                openLines = 1;
                endLine();
            }
            clear();
            draw(reading, terminal.get());
            out.flush();
        } else if (newEpoch || nanoTime.getAsLong() - shownNanos >= PLAIN_INTERVAL.toNanos()) {
            out.println(ProgressLine.plain(reading));
            if (reading.verdict() != null) {
                out.println("  " + VisibleText.of(reading.verdict()));
            }
            out.flush();
            shownNanos = nanoTime.getAsLong();
        }
        shown = reading;
    }

    /** Shows by a full bar or a last line that training has finished its last epoch. */
    public synchronized void completed() {
        ProgressReading last = shown;
        if (last == null) {
            return; // training ended before the first reading
        }
        ProgressReading end = last.ended();
        if (terminal.isPresent()) {
            clear();
            out.print(CLEAR_LINE + bar(end, terminal.get()));
            openLines = 1;
        } else {
            out.println(ProgressLine.plain(end));
        }
        out.flush();
        shown = end;
    }

    /** Prints a line of text above the bar. */
    public synchronized void message(String line) {
        if (openLines > 0) {
            clear();
            out.print(CLEAR_LINE);
        }
        out.println(VisibleText.of(line));
        out.flush();
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

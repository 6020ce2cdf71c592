package io.millrace.generate;

import io.millrace.sample.VisibleText;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Lines about a generation, or other work on many parts, that takes longer than some seconds. */
public final class TimedProgress implements ProgressListener {
    private static final Duration INTERVAL = Duration.ofSeconds(3);

    private final String name;
    private final String unit;
    private final Consumer<String> printer;
    private final LongSupplier nanoTime;
    private long printedNanos;

    /**
     * Creates a listener for work that begins.
     *
     * @param name what is worked on
     * @param unit the word for its parts, such as {@code documents}
     * @param printer receives each line, on the threads that work, one at a time
     * @param nanoTime a clock like {@link System#nanoTime}
     */
    public TimedProgress(String name, String unit, Consumer<String> printer, LongSupplier nanoTime) {
        this.name = name;
        this.unit = unit;
        this.printer = printer;
        this.nanoTime = nanoTime;
        this.printedNanos = nanoTime.getAsLong();
    }

    @Override
    public void progressed(long done, long total) {
        long now = nanoTime.getAsLong();
        if (now - printedNanos >= INTERVAL.toNanos()) {
            printedNanos = now;
            printer.accept(VisibleText.line(String.format(Locale.ROOT, "%s: %,d of %,d %s", name, done, total, unit)));
        }
    }
}

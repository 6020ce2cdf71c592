package io.millrace.generate;

import io.millrace.sample.VisibleText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Lines about a generation that takes longer than some seconds. */
public final class TimedProgress implements ProgressListener {
    private static final Duration INTERVAL = Duration.ofSeconds(3);

    private final Path folder;
    private final Consumer<String> printer;
    private final LongSupplier nanoTime;
    private long printedNanos;

    /**
     * Creates a listener for a generation that begins.
     *
     * @param printer receives each line, on the threads that draw, one at a time
     * @param nanoTime a clock like {@link System#nanoTime}
     */
    public TimedProgress(Path folder, Consumer<String> printer, LongSupplier nanoTime) {
        this.folder = folder;
        this.printer = printer;
        this.nanoTime = nanoTime;
        this.printedNanos = nanoTime.getAsLong();
    }

    @Override
    public void progressed(long done, long total) {
        long now = nanoTime.getAsLong();
        if (now - printedNanos >= INTERVAL.toNanos()) {
            printedNanos = now;
            printer.accept(VisibleText.line(String.format(Locale.ROOT, "%s: %,d of %,d images", folder, done, total)));
        }
    }
}

package io.millrace.source;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.UnavailableException;
import io.millrace.metrics.MachineCores;
import io.millrace.metrics.StageMetrics;
import io.millrace.sample.Sample;
import io.millrace.trace.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * Emits the samples of its ranges, each placed in the run. State: what is left of each range.
 *
 * <p>Its metrics: own and CPU time are those of reading, on whichever thread; waiting in is the time for which there was
 * nothing to emit. Waiting out stays 0: a source does not see how long Flink keeps it from emitting. Besides, it shows
 * those of the machine ({@link MachineCores}), as there is a source wherever data is made.
 *
 * <p>The task's thread calls everything here; I/O threads only raise the {@link AvailabilitySignal}. Splits are never paused, as
 * there are no watermarks to align, so Flink's refusal of {@link #pauseOrResumeSplits} stands.
 */
final class RangeReader implements SourceReader<Sample, Range> {
    private final SourceReaderContext context;
    private final PositionReader.Opening opening;
    private final ReadOptions options;
    private final StageMetrics metrics;
    private final AvailabilitySignal signal = new AvailabilitySignal();

    /** The ranges to be emitted, by their first position; a range leaves when its last sample is emitted. */
    private final TreeMap<Long, Progress> held = new TreeMap<>();

    private @Nullable PositionReader positions;
    private @Nullable Feed feed;
    private @Nullable Block block;
    private boolean noMore;

    /** Since when there has been nothing to emit, by {@link System#nanoTime}; valid while {@link #idle}. */
    private long idleSinceNanos;

    private boolean idle;

    private static final class Progress {
        private final Range range;
        private long next;

        Progress(Range range) {
            this.range = range;
            this.next = range.from();
        }
    }

    /**
     * A reader that has not started.
     *
     * @param recording in which it takes part; null: in none
     */
    RangeReader(
            SourceReaderContext context,
            PositionReader.Opening opening,
            ReadOptions options,
            @Nullable Recording recording) {
        this.context = context;
        this.opening = opening;
        this.options = options;
        this.metrics = new StageMetrics(context.metricGroup(), recording);
    }

    /** Opens the datasets, takes up the ranges that were restored and says so. */
    @Override
    public void start() {
        try {
            positions = opening.open();
        } catch (IOException e) {
            if (isPermanent(e)) {
                throw new SuppressRestartsException(e);
            }
            throw new UncheckedIOException(e.getMessage(), e);
        }
        if (positions.resident()) {
            feed = new ResidentFeed(positions);
        } else {
            feed = new ReadAheadFeed(positions, options, threads(), signal::raise);
            metrics.worksOnOtherThreads();
        }
        MachineCores.register(context.metricGroup());
        List<Range> restored = held.values().stream().map(p -> p.range).toList();
        restored.forEach(feed::add);
        int inHand = options.readAhead() + 1;
        context.sendSourceEventToCoordinator(new ReaderStarted(restored, Math.max(0, inHand - restored.size())));
        markIdle();
    }

    @Override
    public void addSplits(List<Range> ranges) {
        for (Range range : ranges) {
            held.put(range.from(), new Progress(range));
            // Restored ranges come before the start, which takes them up.
            if (feed != null) {
                feed.add(range);
            }
        }
        signal.raise();
    }

    @Override
    public void notifyNoMoreSplits() {
        noMore = true;
        signal.raise();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<Sample> output) throws IOException {
        Block from = block == null ? nextBlock() : block;
        if (from == null) {
            if (noMore && held.isEmpty()) {
                return InputStatus.END_OF_INPUT;
            }
            markIdle();
            return InputStatus.NOTHING_AVAILABLE;
        }
        Sample sample = from.take();
        block = from.isEmpty() ? null : from;
        Progress progress = held.get(from.range().from());
        if (sample == null || progress == null) {
            throw new IllegalStateException("the block of range " + from.range() + " is empty or not held");
        }
        // Before emitting: an operator down the chain may let a checkpoint in, and the sample is its own from here on.
        progress.next++;
        if (progress.next < progress.range.to()) {
            output.collect(sample);
            return InputStatus.MORE_AVAILABLE;
        }
        held.remove(progress.range.from());
        output.collect(sample);
        finish(progress.range);
        return InputStatus.MORE_AVAILABLE;
    }

    private @Nullable Block nextBlock() throws IOException {
        Feed source = feed;
        if (source == null) {
            throw new IllegalStateException("the reader was polled before it was started");
        }
        Block next = poll(source);
        if (next == null) {
            signal.lower();
            next = poll(source);
        }
        if (next != null) {
            next.book(metrics);
            if (idle) {
                metrics.addWaitIn(System.nanoTime() - idleSinceNanos);
                idle = false;
            }
        }
        return next;
    }

    private static @Nullable Block poll(Feed source) throws IOException {
        try {
            return source.poll();
        } catch (IOException e) {
            if (isPermanent(e)) {
                throw new SuppressRestartsException(e);
            }
            throw e;
        }
    }

    /** Whether the dataset is at fault, and would be again after a restart. */
    private static boolean isPermanent(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatasetException) {
                return !(cause instanceof UnavailableException);
            }
        }
        return false;
    }

    private void finish(Range range) {
        // Flink's output for the split is not released: all ranges have that one.
        boolean wanted = !noMore && held.size() <= options.readAhead();
        context.sendSourceEventToCoordinator(new RangeFinished(range, wanted ? 1 : 0));
    }

    private void markIdle() {
        if (!idle) {
            idle = true;
            idleSinceNanos = System.nanoTime();
        }
    }

    @Override
    public List<Range> snapshotState(long checkpointId) {
        List<Range> left = new ArrayList<>(held.size());
        for (Progress progress : held.values()) {
            left.add(new Range(progress.next, progress.range.to()));
        }
        return left;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return signal.future();
    }

    private ThreadFactory threads() {
        AtomicInteger count = new AtomicInteger();
        ClassLoader loader = context.getUserCodeClassLoader().asClassLoader();
        return work -> {
            Thread thread = new Thread(work, "read-" + context.getIndexOfSubtask() + "-" + count.getAndIncrement());
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            return thread;
        };
    }

    /** Stops the reading and then closes the datasets; does nothing the second time. */
    @Override
    public void close() throws IOException {
        try (metrics) {
            Feed reading = feed;
            if (reading != null) {
                reading.close();
                feed = null;
            }
            PositionReader open = positions;
            if (open != null) {
                positions = null;
                open.close();
            }
        }
    }
}

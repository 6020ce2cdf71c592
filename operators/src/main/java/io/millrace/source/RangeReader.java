package io.millrace.source;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.UnavailableException;
import io.millrace.metrics.EndedStages;
import io.millrace.metrics.MachineCores;
import io.millrace.metrics.StageMetrics;
import io.millrace.sample.Samples;
import io.millrace.trace.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * The Flink reader, which emits the samples of its ranges, one by one or in {@linkplain Samples rows}. Its state is the rest of
 * each range.
 *
 * <p>In a served run ({@link ServedEnumerator}) the reader drops its ranges at each seek and emits the watermark of the new
 * generation. The watermark follows the samples of older generations on the way to the sink. The reader then has no state in
 * checkpoints, and it drops what is left when there are no more ranges, because the sink has ended the run.
 *
 * <p>The metrics of this stage have the following meaning. Own time and CPU time are the cost of reading on all
 * threads. Wait in is the time in which the reader had nothing to emit. Wait out stays 0, because a source cannot
 * measure how long Flink keeps it from emitting. The reader also reports the metrics of the machine ({@link
 * MachineCores}), because every machine that produces data runs a source. Samples that a seek drops
 * count only if their block had been started.
 *
 * <p>The task's thread calls all methods; I/O threads only raise the {@link AvailabilitySignal}. Flink never pauses the
 * splits of this source, because its watermarks are not aligned. Therefore the default {@link #pauseOrResumeSplits},
 * which throws, is not overridden.
 */
final class RangeReader<T extends Samples> implements SourceReader<T, Range> {
    private static final long NONE = -1;

    private final Class<T> records;
    private final SourceReaderContext context;
    private final PositionReader.Opening opening;
    private final ReadOptions options;
    private final StageMetrics metrics;
    private final AvailabilitySignal signal = new AvailabilitySignal();

    /**
     * The ranges that still have to be emitted, by their first position. A range is removed when its last sample is
     * emitted.
     */
    private final TreeMap<Long, Progress> held = new TreeMap<>();

    private @Nullable PositionReader positions;
    private @Nullable Feed feed;
    private @Nullable SampleBlock block;
    private boolean noMore;

    /** The generation of a served run; 0 in other runs and before the first seek. */
    private long generation;

    /** The checkpoint whose barrier the reader has passed and not yet reported, or {@link #NONE}. */
    private long passed = NONE;

    /** Whether the watermark of the generation has to be emitted. */
    private boolean rewinding;

    /** The {@link System#nanoTime} at which the reader ran out of samples; valid while {@link #idle}. */
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
     * Creates a reader that has not started.
     *
     * @param records the type of the records; only a reader of {@link Samples} emits rows
     * @param recording the recording that the reader takes part in, or null for none
     */
    RangeReader(
            Class<T> records,
            SourceReaderContext context,
            PositionReader.Opening opening,
            ReadOptions options,
            @Nullable Recording recording) {
        this.records = records;
        this.context = context;
        this.opening = opening;
        this.options = options;
        this.metrics = new StageMetrics(context.metricGroup(), recording);
        EndedStages.declareReader(context.metricGroup(), metrics);
    }

    /** Opens the datasets, adds the restored ranges to the feed, and reports them to the enumerator. */
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
        boolean inRows = records == Samples.class;
        feed = new ResidenceFeed(
                positions,
                new ResidentFeed(positions, inRows),
                new ReadAheadFeed(positions, inRows, options, threads(), signal::raise));
        metrics.callsCode(positions::code);
        MachineCores.register(context.metricGroup());
        List<Range> restored = held.values().stream().map(p -> p.range).toList();
        restored.forEach(feed::add);
        context.sendSourceEventToCoordinator(new ReaderStarted(restored, Math.max(0, inHand() - restored.size())));
        markIdle();
    }

    /** Returns the number of ranges that the reader holds at a time. */
    private int inHand() {
        return options.readAhead() + 1;
    }

    @Override
    public void addSplits(List<Range> ranges) {
        for (Range range : ranges) {
            held.put(range.from(), new Progress(range));
            // Flink restores ranges before it calls start(), which adds them to the feed.
            if (feed != null) {
                feed.add(range);
            }
        }
        signal.raise();
    }

    @Override
    public void notifyNoMoreSplits() {
        noMore = true;
        if (generation > 0) {
            drop();
        }
        signal.raise();
    }

    /** Receives a seek or a range from the enumerator of a served run. Messages of older generations are ignored. */
    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof ServedEvent.Rewind rewind) {
            if (rewind.generation() > generation) {
                generation = rewind.generation();
                drop();
                rewinding = true;
                signal.raise();
            }
        } else if (event instanceof ServedEvent.Assigned assigned) {
            if (assigned.generation() == generation) {
                addSplits(List.of(assigned.range()));
            }
        } else if (event instanceof ServedEvent.Ask) {
            String awaited = positions == null ? null : positions.awaits();
            context.sendSourceEventToCoordinator(new ServedEvent.Awaits(generation, awaited));
        } else {
            throw new IllegalArgumentException("the enumerator sent an unknown event: " + event);
        }
    }

    /** Drops all ranges and all samples that were read ahead. */
    private void drop() {
        held.clear();
        block = null;
        requireFeed().clear();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws IOException {
        if (passed != NONE) {
            context.sendSourceEventToCoordinator(new BarrierPassed(passed));
            passed = NONE;
        }
        if (rewinding) {
            rewinding = false;
            output.emitWatermark(new Watermark(generation));
            context.sendSourceEventToCoordinator(new ServedEvent.Rewound(generation, inHand()));
            return InputStatus.MORE_AVAILABLE;
        }
        SampleBlock from = block == null ? nextBlock() : block;
        if (from == null) {
            if (noMore && held.isEmpty()) {
                EndedStages.readToEnd(context.metricGroup());
                return InputStatus.END_OF_INPUT;
            }
            markIdle();
            return InputStatus.NOTHING_AVAILABLE;
        }
        Samples samples = from.poll();
        block = from.isEmpty() ? null : from;
        Progress progress = held.get(from.range().from());
        if (samples == null || progress == null) {
            throw new IllegalStateException("the block of range " + from.range() + " is empty or not held");
        }
        // The position advances before the samples are emitted. A checkpoint may begin while an operator further down
        // the
        // chain works on them, and they then belong to that operator.
        progress.next += samples.count();
        if (progress.next < progress.range.to()) {
            output.collect(records.cast(samples));
            return InputStatus.MORE_AVAILABLE;
        }
        held.remove(progress.range.from());
        output.collect(records.cast(samples));
        finish(progress.range);
        return InputStatus.MORE_AVAILABLE;
    }

    private @Nullable SampleBlock nextBlock() throws IOException {
        Feed source = requireFeed();
        SampleBlock next = poll(source);
        if (next == null) {
            signal.lower();
            next = poll(source);
        }
        if (next != null) {
            next.addTo(metrics);
            if (idle) {
                metrics.addWaitIn(System.nanoTime() - idleSinceNanos);
                idle = false;
            }
        }
        return next;
    }

    private Feed requireFeed() {
        Feed source = feed;
        if (source == null) {
            throw new IllegalStateException("the reader was used before it was started");
        }
        return source;
    }

    private static @Nullable SampleBlock poll(Feed source) throws IOException {
        try {
            return source.poll();
        } catch (IOException e) {
            if (isPermanent(e)) {
                throw new SuppressRestartsException(e);
            }
            throw e;
        }
    }

    /** Returns whether the dataset is at fault and a restart would not help. */
    private static boolean isPermanent(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatasetException) {
                return !(cause instanceof UnavailableException);
            }
        }
        return false;
    }

    private void finish(Range range) {
        // Flink's output for the split is not released, because all ranges share one output.
        int requested = !noMore && held.size() < inHand() ? 1 : 0;
        context.sendSourceEventToCoordinator(
                generation > 0
                        ? new ServedEvent.Finished(generation, range, requested)
                        : new RangeFinished(range, requested));
    }

    private void markIdle() {
        if (!idle) {
            idle = true;
            idleSinceNanos = System.nanoTime();
        }
    }

    @Override
    public List<Range> snapshotState(long checkpointId) {
        if (generation > 0) {
            return List.of();
        }
        // It is reported by the next call, because Flink tells the coordinator of the snapshot after this method.
        passed = checkpointId;
        signal.raise();
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

    /** Stops all reads and then closes the datasets. A second call does nothing. */
    @Override
    public void close() throws IOException {
        EndedStages.closed(context.metricGroup());
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

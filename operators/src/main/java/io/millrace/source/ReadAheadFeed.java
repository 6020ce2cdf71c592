package io.millrace.source;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A feed that reads whole ranges on its own I/O threads, lowest first, a bounded number of ranges ahead. A slow range
 * delays only its own thread. Other ranges are emitted as soon as they are ready.
 *
 * <p>I/O threads access {@link #done} and the signal only.
 *
 * <p>Tested by {@code RangeReaderTest}.
 */
final class ReadAheadFeed implements Feed {
    /** The time for which closing waits for reads that ignore an interrupt, as reads of remote file systems may. */
    private static final long CLOSE_SECONDS = 60;

    private final PositionReader reader;
    private final boolean inRows;
    private final int readAhead;
    private final Runnable signal;
    private final ThreadPoolExecutor threads;
    private final PriorityQueue<Range> waiting = new PriorityQueue<>(Comparator.comparingLong(Range::from));
    private final PriorityBlockingQueue<Reading> done =
            new PriorityBlockingQueue<>(16, Comparator.comparingLong(Reading::from));

    /**
     * The ranges that were passed to the threads and whose blocks have not been polled. Their number bounds the memory.
     */
    private final Set<Reading> pending = new HashSet<>();

    /**
     * Creates a feed with its own threads.
     *
     * @param inRows whether blocks may have {@link io.millrace.sample.SampleRows}
     * @param signal code that is called on an I/O thread when {@link #poll} has another block to return
     */
    ReadAheadFeed(PositionReader reader, boolean inRows, ReadOptions options, ThreadFactory factory, Runnable signal) {
        this.reader = reader;
        this.inRows = inRows;
        this.readAhead = options.readAhead();
        this.signal = signal;
        this.threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(options.threads(), factory);
    }

    @Override
    public void add(Range range) {
        waiting.add(range);
        readOn();
    }

    @Override
    public @Nullable SampleBlock poll() throws IOException {
        Reading finished = done.poll();
        while (finished != null && !pending.remove(finished)) { // cleared while its thread was about to add it
            finished = done.poll();
        }
        if (finished == null) {
            return null;
        }
        readOn();
        return finished.block();
    }

    private void readOn() {
        while (pending.size() < readAhead) {
            Range range = waiting.poll();
            if (range == null) {
                return;
            }
            Reading reading = new Reading(range);
            pending.add(reading);
            threads.execute(reading);
        }
    }

    @Override
    public void clear() {
        waiting.clear();
        pending.forEach(Reading::abandon);
        pending.clear();
        threads.purge();
        done.clear();
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(
                        "a read still runs " + CLOSE_SECONDS + " s after it was interrupted; its dataset stays open");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for reads to end; their dataset stays open", e);
        }
    }

    /** One range that is being read. It adds itself to the queue when the read ends, with or without success. */
    private final class Reading extends FutureTask<SampleBlock> {
        private final Range range;

        /** Set by the task's thread and read by the I/O thread. */
        private final AtomicBoolean abandoned;

        Reading(Range range) {
            this(range, new AtomicBoolean());
        }

        private Reading(Range range, AtomicBoolean abandoned) {
            super(() -> SampleBlock.whole(reader, range, inRows, abandoned::get));
            this.range = range;
            this.abandoned = abandoned;
        }

        /** Ends the reading without an interrupt, which would close files that other readers share. */
        void abandon() {
            abandoned.set(true);
            cancel(false);
        }

        long from() {
            return range.from();
        }

        @Override
        protected void done() {
            done.add(this);
            signal.run();
        }

        SampleBlock block() throws IOException {
            try {
                return get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure) {
                    throw failure;
                }
                throw new IllegalStateException("reading " + range + " failed", e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for a block of samples", e);
            }
        }
    }
}

package io.millrace.source;

import java.io.IOException;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A feed that reads whole ranges on its own I/O threads, lowest first, a bounded number of ranges ahead. A slow range
 * delays only its own thread. Other ranges are emitted as soon as they are ready.
 *
 * <p>I/O threads access {@link #done} and the signal only.
 */
final class ReadAheadFeed implements Feed {
    /** The time for which closing waits for reads that ignore an interrupt, as reads of remote file systems may. */
    private static final long CLOSE_SECONDS = 60;

    private final PositionReader reader;
    private final int readAhead;
    private final Runnable signal;
    private final ExecutorService threads;
    private final PriorityQueue<Range> waiting = new PriorityQueue<>(Comparator.comparingLong(Range::from));
    private final PriorityBlockingQueue<Reading> done =
            new PriorityBlockingQueue<>(16, Comparator.comparingLong(Reading::from));

    /**
     * The number of ranges that were passed to the threads and whose blocks have not been polled. It bounds the
     * memory.
     */
    private int pending;

    /**
     * Creates a feed with its own threads.
     *
     * @param signal code that is called on an I/O thread when {@link #poll} has another block to return
     */
    ReadAheadFeed(PositionReader reader, ReadOptions options, ThreadFactory factory, Runnable signal) {
        this.reader = reader;
        this.readAhead = options.readAhead();
        this.signal = signal;
        this.threads = Executors.newFixedThreadPool(options.threads(), factory);
    }

    @Override
    public void add(Range range) {
        waiting.add(range);
        readOn();
    }

    @Override
    public @Nullable SampleBlock poll() throws IOException {
        Reading finished = done.poll();
        if (finished == null) {
            return null;
        }
        pending--;
        readOn();
        return finished.block();
    }

    private void readOn() {
        while (pending < readAhead) {
            Range range = waiting.poll();
            if (range == null) {
                return;
            }
            pending++;
            threads.execute(new Reading(range));
        }
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

        Reading(Range range) {
            super(() -> SampleBlock.whole(reader, range));
            this.range = range;
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

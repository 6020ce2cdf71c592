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
 * Reads whole ranges on I/O threads of its own, lowest first, a bounded number of ranges ahead. A range that takes long
 * holds up only its thread: those that are ready are served meanwhile.
 *
 * <p>Only {@link #done} and the signal are touched by I/O threads.
 */
final class ReadAheadFeed implements Feed {
    /** How long closing waits for reads that do not heed an interrupt, as those of remote file systems may not. */
    private static final long CLOSE_SECONDS = 60;

    private final PositionReader reader;
    private final int readAhead;
    private final Runnable signal;
    private final ExecutorService threads;
    private final PriorityQueue<Range> waiting = new PriorityQueue<>(Comparator.comparingLong(Range::from));
    private final PriorityBlockingQueue<Reading> done =
            new PriorityBlockingQueue<>(16, Comparator.comparingLong(Reading::from));

    /** Ranges handed to the threads whose blocks have not been taken: bounds the memory. */
    private int underway;

    /**
     * A feed with threads of its own.
     *
     * @param signal called on an I/O thread when {@link #poll} has something to say again
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
    public @Nullable Block poll() throws IOException {
        Reading finished = done.poll();
        if (finished == null) {
            return null;
        }
        underway--;
        readOn();
        return finished.block();
    }

    private void readOn() {
        while (underway < readAhead) {
            Range range = waiting.poll();
            if (range == null) {
                return;
            }
            underway++;
            threads.execute(new Reading(range));
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(
                        "a read still runs " + CLOSE_SECONDS + " s after it was asked to stop; its dataset stays open");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for reads to end; their dataset stays open", e);
        }
    }

    /** One range being read; queues itself when it is read, or has failed. */
    private final class Reading extends FutureTask<Block> {
        private final Range range;

        Reading(Range range) {
            super(() -> Block.whole(reader, range));
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

        Block block() throws IOException {
            try {
                return get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure) {
                    throw failure;
                }
                throw new IllegalStateException("reading " + range + " failed", e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while taking a block", e);
            }
        }
    }
}

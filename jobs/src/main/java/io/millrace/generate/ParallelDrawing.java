package io.millrace.generate;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Spreads the images of one generation over threads, in small ranges, whichever thread is free. */
public final class ParallelDrawing {
    private ParallelDrawing() {}

    /** Draws ranges of images with buffers of its own; used by one thread, closed by it. */
    public interface Artist extends AutoCloseable {
        /** Draws and writes the images from {@code from} (inclusive) to {@code to} (exclusive). */
        void draw(long from, long to) throws IOException;

        @Override
        default void close() {}
    }

    /**
     * Draws images 0 to {@code count - 1} and returns when all are written.
     *
     * @param chunk images of one range
     * @param threads at least 1
     * @param artists makes one artist per thread
     * @throws IOException the first failure of an artist; the others stop after their range
     * @throws InterruptedIOException when the calling thread is interrupted
     */
    public static void draw(
            long count, int chunk, int threads, Supplier<? extends Artist> artists, ProgressListener progress)
            throws IOException {
        AtomicLong next = new AtomicLong();
        AtomicBoolean stopped = new AtomicBoolean();
        Progress done = new Progress(count, progress);
        ExecutorService pool = Executors.newFixedThreadPool(threads, ParallelDrawing::daemon);
        try {
            List<Future<?>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                tasks.add(pool.submit(() -> {
                    try (Artist artist = artists.get()) {
                        for (long from = next.getAndAdd(chunk);
                                from < count && !stopped.get();
                                from = next.getAndAdd(chunk)) {
                            long to = Math.min(count, from + chunk);
                            artist.draw(from, to);
                            done.add(to - from);
                        }
                        return null;
                    } catch (IOException | RuntimeException | Error e) {
                        stopped.set(true);
                        throw e;
                    }
                }));
            }
            await(tasks);
        } finally {
            stopped.set(true);
            pool.shutdown();
        }
    }

    /** Waits for every thread, failed or not, so that none writes after this returns; then throws the first failure. */
    private static void await(List<Future<?>> tasks) throws IOException {
        Throwable failure = null;
        for (Future<?> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while drawing");
            }
        }
        if (failure instanceof IOException cause) {
            throw cause;
        }
        if (failure != null) {
            throw new IllegalStateException("drawing failed: " + failure, failure);
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "millrace-draw");
        thread.setDaemon(true);
        return thread;
    }

    /** Adds up what the threads did, under its lock, so that the listener hears growing numbers. */
    private static final class Progress {
        private final long total;
        private final ProgressListener listener;
        private long done;

        Progress(long total, ProgressListener listener) {
            this.total = total;
            this.listener = listener;
        }

        synchronized void add(long images) {
            done += images;
            listener.progressed(done, total);
        }
    }
}

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

/** The distribution of a generation's images over threads: a free thread gets the next small range of images. */
public final class ParallelDrawing {
    private ParallelDrawing() {}

    /** An object with its own buffers that draws ranges of images. One thread uses and closes it. */
    public interface Artist extends AutoCloseable {
        /** Draws and writes the images from {@code from} (inclusive) to {@code to} (exclusive). */
        void draw(long from, long to) throws IOException;

        @Override
        default void close() {}
    }

    /**
     * Draws images 0 to {@code count - 1} and returns when all of them have been written.
     *
     * @param chunk the number of images in a range
     * @param threads the number of threads, at least 1
     * @param artists creates the artist of each thread
     * @throws IOException the first failure of an artist; the other artists stop after their current range
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

    /** Waits for all threads, so that none writes after this method returns; then throws the first failure. */
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

    /**
     * Counts the images of all threads. The listener is called under this object's lock, so that it receives growing
     * numbers.
     */
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

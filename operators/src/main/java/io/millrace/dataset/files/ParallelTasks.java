package io.millrace.dataset.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The execution of one task for each of many files while a dataset is opened. Several files are processed at a time,
 * and the caller waits for all of them.
 */
public final class ParallelTasks {
    /** The largest number of threads: enough to keep a disk or a network busy, and not too many for a server. */
    private static final int MOST_THREADS = 32;

    private static final int LEAST_THREADS = 4;

    private ParallelTasks() {}

    /** The task for one item. */
    @FunctionalInterface
    public interface Task<T, R> {
        /** Processes an item. Several threads call this method. */
        R apply(T item) throws IOException;
    }

    /**
     * Processes all items, several at a time, and returns the results in the order of the items.
     *
     * @throws IOException the exception of the first item that failed; items that have not begun are skipped
     */
    public static <T, R> List<R> map(List<T> items, Task<T, R> task) throws IOException {
        int processors = Runtime.getRuntime().availableProcessors();
        return map(items, Math.max(LEAST_THREADS, Math.min(MOST_THREADS, 2 * processors)), task);
    }

    /**
     * Processes all items as {@link #map(List, Task)} does, with a number of threads.
     *
     * @param most the largest number of threads, 1 or more; with 1, the caller's own thread processes the items
     */
    public static <T, R> List<R> map(List<T> items, int most, Task<T, R> task) throws IOException {
        int threads = Math.min(items.size(), most);
        if (threads <= 1) {
            List<R> results = new ArrayList<>();
            for (T item : items) {
                results.add(task.apply(item));
            }
            return results;
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "open-dataset");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<R>> pending = new ArrayList<>();
            for (T item : items) {
                pending.add(pool.submit(() -> task.apply(item)));
            }
            return collect(pending);
        } finally {
            pool.shutdownNow();
        }
    }

    private static <R> List<R> collect(List<Future<R>> pending) throws IOException {
        List<R> results = new ArrayList<>();
        for (Future<R> one : pending) {
            try {
                results.add(one.get());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException) new InterruptedIOException("interrupted while opening files").initCause(e);
            } catch (ExecutionException e) {
                throw rethrown(e);
            }
        }
        return results;
    }

    private static IOException rethrown(ExecutionException failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof IOException known ? known : new IOException(failure);
    }
}

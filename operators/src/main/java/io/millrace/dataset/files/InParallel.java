package io.millrace.dataset.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does one thing with each of many files while a dataset is opened, several at a time, and waits for all. */
public final class InParallel {
    /** Enough to keep a disk or a network busy, and no more than a server minds. */
    private static final int MOST_THREADS = 32;

    private static final int LEAST_THREADS = 4;

    private InParallel() {}

    /** What is done with one. */
    @FunctionalInterface
    public interface Step<T, R> {
        /** Called by any thread. */
        R apply(T item) throws IOException;
    }

    /**
     * The results, in the order of the items.
     *
     * @throws IOException what the first of those steps that failed threw; the steps that had not begun are left out
     */
    public static <T, R> List<R> map(List<T> items, Step<T, R> step) throws IOException {
        int processors = Runtime.getRuntime().availableProcessors();
        int threads = Math.min(items.size(), Math.max(LEAST_THREADS, Math.min(MOST_THREADS, 2 * processors)));
        if (threads <= 1) {
            List<R> results = new ArrayList<>();
            for (T item : items) {
                results.add(step.apply(item));
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
                pending.add(pool.submit(() -> step.apply(item)));
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

package io.millrace.transform;

import io.millrace.metrics.CacheUse;
import io.millrace.metrics.CodeProfile;
import io.millrace.trace.Trace;
import io.millrace.trace.Track;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that apply a transform to several samples at the same time. Each of them creates, uses and closes an instance of its own,
 * because an instance may own a process that ends with the thread that started it. The task's thread owns the object.
 */
final class TransformWorkers implements AutoCloseable {
    private final BlockingQueue<TransformWork> waiting = new LinkedBlockingQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<PlacedTransform> transforms = new ArrayList<>();
    private final Runnable afterWork;

    private TransformWorkers(Runnable afterWork) {
        this.afterWork = afterWork;
    }

    /**
     * Starts the threads, and waits until each of them has created its transform.
     *
     * @param stage the name of the stage, for the names of the threads
     * @param transforms creates the transform of a thread by its number, from 0
     * @param afterWork is called in the thread after each work
     */
    static TransformWorkers start(int count, String stage, IntFunction<PlacedTransform> transforms, Runnable afterWork)
            throws InterruptedException {
        TransformWorkers workers = new TransformWorkers(afterWork);
        try {
            List<CompletableFuture<PlacedTransform>> created = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                CompletableFuture<PlacedTransform> own = new CompletableFuture<>();
                int number = i;
                Thread thread = new Thread(() -> workers.work(() -> transforms.apply(number), own, stage));
                thread.setName(stage + " worker " + number);
                thread.setDaemon(true);
                workers.threads.add(thread);
                created.add(own);
                thread.start();
            }
            for (CompletableFuture<PlacedTransform> own : created) {
                workers.transforms.add(own.get());
            }
            return workers;
        } catch (ExecutionException e) {
            workers.close();
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException("stage " + stage + " cannot start its workers", e.getCause());
        } catch (InterruptedException | RuntimeException | Error e) {
            workers.close();
            throw e;
        }
    }

    private void work(Supplier<PlacedTransform> creation, CompletableFuture<PlacedTransform> created, String stage) {
        try (PlacedTransform transform = creation.get()) {
            created.complete(transform);
            Track track = Trace.track();
            while (true) {
                TransformWork work = waiting.take();
                long began = System.nanoTime();
                work.apply(transform);
                if (track != null) {
                    track.add(stage, began, System.nanoTime());
                }
                afterWork.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // close() ends the thread
        } catch (RuntimeException | Error e) {
            created.completeExceptionally(e);
        }
    }

    /** Lets a thread work on a sample. */
    void add(TransformWork work) {
        waiting.add(work);
    }

    /** Returns the first of the transforms, to which what other stages have found may be added in any thread. */
    PlacedTransform first() {
        return transforms.get(0);
    }

    /** Returns the profile of the user's code over all workers; null when the transform calls none. Any thread may call it. */
    @Nullable
    CodeProfile code() {
        return CodeProfile.whole(transforms.stream()
                        .map(PlacedTransform::code)
                        .filter(Objects::nonNull)
                        .toList())
                .orElse(null);
    }

    /** Returns the use of the caches of all workers; null when the transform has none. Any thread may call it. */
    @Nullable
    CacheUse cacheUse() {
        return transforms.stream()
                .map(PlacedTransform::cacheUse)
                .filter(Objects::nonNull)
                .reduce(CacheUse::plus)
                .orElse(null);
    }

    /** Ends the threads, and what they have started. An interrupt of the calling thread ends the wait for them. */
    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.millrace.device;

import io.millrace.lifecycle.Uninterrupted;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * A stream that does its work later, on a thread of its own, and carries bytes into and out of the device no faster
 * than a link. Thread-safe.
 *
 * <p><b>Timeline.</b> Work begins when the work before it has ended, but not before it was enqueued. It lasts as long as
 * it is simulated to last, or as long as the thread really needed if that is longer. These times form the timeline of the
 * stream, and events pass on it. The thread waits for each time, so nothing is done before its time. When the thread
 * wakes up late, the work still counts from its time on the timeline, as on a device whose speed does not depend on the
 * load of the host.
 *
 * <p>Tested by {@code AsynchronousDeviceTest} and {@code HostDeviceTest}.
 */
final class SimulatedStream implements DeviceStream {
    /** A piece of work. */
    @FunctionalInterface
    private interface Work {
        /**
         * Does the work.
         *
         * @param beginNanos the time on the timeline at which it begins, as {@link System#nanoTime} counts
         * @return the time on the timeline at which it ended, which has come when the call returns
         */
        long run(long beginNanos);
    }

    private record Enqueued(Work work, long atNanos) {}

    private final SimulatedLink link;
    private final BlockingQueue<Enqueued> queue = new LinkedBlockingQueue<>();
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final Thread thread;

    /** Creates the stream and starts its thread. */
    SimulatedStream(SimulatedLink link) {
        this.link = link;
        this.thread = new Thread(this::run, "millrace-simulated-stream");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            long nowNanos = System.nanoTime();
            while (open.get() || !queue.isEmpty()) {
                Enqueued next = queue.take();
                nowNanos = next.work.run(Math.max(nowNanos, next.atNanos));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("a simulated stream was interrupted", e);
        }
    }

    private void enqueue(Work work) {
        if (!open.get()) {
            throw new IllegalStateException("the stream is closed");
        }
        queue.add(new Enqueued(work, System.nanoTime()));
    }

    @Override
    public void copyIn(long source, DeviceMemory target, long offset, long bytes) {
        copy(source, target.at(offset, bytes), bytes, link.nanos(bytes));
    }

    @Override
    public void copyWithin(DeviceMemory memory, long from, long to, long bytes) {
        DeviceStream.requireApart(from, to, bytes);
        copy(memory.at(from, bytes), memory.at(to, bytes), bytes, 0);
    }

    @Override
    public void copyOut(DeviceMemory source, long offset, long target, long bytes) {
        copy(source.at(offset, bytes), target, bytes, link.nanos(bytes));
    }

    /** Copies at the end of the simulated time, so that memory that changes too early is noticed. */
    private void copy(long source, long target, long bytes, long nanos) {
        enqueue(beginNanos -> {
            SimulatedTime.pass(beginNanos, nanos);
            long began = System.nanoTime();
            MemoryUtil.copyMemory(source, target, bytes);
            return beginNanos + Math.max(nanos, System.nanoTime() - began);
        });
    }

    /**
     * Enqueues work of any kind.
     *
     * @param work runs on the stream's thread
     * @param least returns the least duration of the work for its result
     * @return the result, which is there when the work has ended; or the failure of the work
     */
    <T extends @Nullable Object> CompletableFuture<T> enqueue(Callable<T> work, Function<T, Duration> least) {
        CompletableFuture<T> result = new CompletableFuture<>();
        enqueue(beginNanos -> {
            long began = System.nanoTime();
            try {
                T made = work.call();
                long nanos = Math.max(least.apply(made).toNanos(), System.nanoTime() - began);
                SimulatedTime.pass(beginNanos, nanos);
                result.complete(made);
                return beginNanos + nanos;
            } catch (Throwable e) { // also errors of the engine's natives: the caller receives what failed
                result.completeExceptionally(e);
                return Math.max(beginNanos, System.nanoTime());
            }
        });
        return result;
    }

    @Override
    public void record(DeviceEvent event) {
        CompletableFuture<Long> begun = HostEvent.of(event).begin();
        enqueue(nowNanos -> {
            begun.complete(nowNanos);
            return nowNanos;
        });
    }

    @Override
    public void await(DeviceEvent event) {
        CompletableFuture<Long> recorded = HostEvent.of(event).recorded();
        enqueue(nowNanos -> Math.max(nowNanos, recorded.join()));
    }

    @Override
    public void synchronize() {
        if (open.get()) {
            CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
            enqueue(nowNanos -> {
                reached.complete(null);
                return nowNanos;
            });
            reached.join();
        }
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            queue.add(new Enqueued(nowNanos -> nowNanos, System.nanoTime())); // wakes the thread
            Uninterrupted.await(thread::join);
        }
    }
}

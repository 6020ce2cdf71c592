package io.millrace.device;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * A stream that does its work later, on a thread of its own, and carries bytes into and out of the device no faster
 * than a link. Thread-safe.
 */
final class SimulatedStream implements DeviceStream {
    private final SimulatedLink link;
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
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
            while (open.get() || !work.isEmpty()) {
                work.take().run();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("a simulated stream was interrupted", e);
        }
    }

    private void enqueue(Runnable task) {
        if (!open.get()) {
            throw new IllegalStateException("the stream is closed");
        }
        work.add(task);
    }

    @Override
    public void copyIn(long source, DeviceMemory target, long offset, long bytes) {
        carry(source, target.at(offset, bytes), bytes);
    }

    @Override
    public void copyWithin(DeviceMemory memory, long from, long to, long bytes) {
        DeviceStream.requireApart(from, to, bytes);
        long source = memory.at(from, bytes);
        long target = memory.at(to, bytes);
        enqueue(() -> MemoryUtil.copyMemory(source, target, bytes));
    }

    @Override
    public void copyOut(DeviceMemory source, long offset, long target, long bytes) {
        carry(source.at(offset, bytes), target, bytes);
    }

    private void carry(long source, long target, long bytes) {
        enqueue(() -> {
            link.carry(bytes);
            MemoryUtil.copyMemory(source, target, bytes);
        });
    }

    @Override
    public void record(DeviceEvent event) {
        CompletableFuture<Long> begun = HostEvent.of(event).begin();
        enqueue(() -> begun.complete(System.nanoTime()));
    }

    @Override
    public void await(DeviceEvent event) {
        CompletableFuture<Long> recorded = HostEvent.of(event).recorded();
        enqueue(recorded::join);
    }

    @Override
    public void synchronize() {
        if (open.get()) {
            CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
            enqueue(() -> reached.complete(null));
            reached.join();
        }
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            work.add(() -> {}); // wakes the thread
            join();
        }
    }

    /** Waits for the thread. An interrupt does not end the wait; it is kept for the caller. */
    private void join() {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.millrace.device;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A device that works beside the host as a GPU does, for rehearsals without a GPU. Copies and the engine's work have
 * threads and timelines of their own; the host enqueues work in microseconds, and results arrive later. Streams and
 * events order the work as on a GPU. Durations are real, or longer as a simulation requires.
 *
 * <p>Its memory is memory of this process. All copies are asynchronous, as a GPU's copies from page-locked memory. An engine
 * that computes on the CPU runs on the engine's stream, see {@link #compute}.
 */
public final class AsynchronousDevice implements Device {
    private final SimulatedLink link;
    private final Duration leastStep;
    private final SimulatedStream copies;
    private final SimulatedStream engine = new SimulatedStream(SimulatedLink.NONE);
    private final DeviceUse use = new DeviceUse(this);
    private long reuseWaitNanos;

    /**
     * Creates a device.
     *
     * @param link the link that carries all copies except those on the engine's stream
     * @param leastStep the least duration of the engine's work on a batch with rows, in training or evaluation
     */
    public AsynchronousDevice(SimulatedLink link, Duration leastStep) {
        this.link = link;
        this.leastStep = leastStep;
        this.copies = new SimulatedStream(link);
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public String describe() {
        return "a simulated asynchronous device";
    }

    @Override
    public boolean isAsynchronous() {
        return true;
    }

    @Override
    public AlignedMemory pageLocked(long bytes, String what) {
        return AlignedMemory.allocate(bytes, what);
    }

    @Override
    public DeviceMemory memory(long bytes, String what) {
        return new HostMemory(AlignedMemory.allocate(bytes, what));
    }

    @Override
    public DeviceStream stream() {
        return new SimulatedStream(link);
    }

    @Override
    public DeviceStream copies() {
        return copies;
    }

    @Override
    public DeviceStream engine() {
        return engine;
    }

    /**
     * Enqueues work of the engine. All work of this kind runs on one thread.
     *
     * @param work computes on the CPU, when the work before it on the engine's stream has ended
     * @param least returns the least duration of the work for its result
     * @return the result, which is there when the work has ended; or the failure of the work
     */
    public <T extends @Nullable Object> CompletableFuture<T> compute(Callable<T> work, Function<T, Duration> least) {
        return engine.enqueue(work, least);
    }

    /** Returns true: the memory is memory of this process. */
    @Override
    public boolean isReadableByCpu() {
        return true;
    }

    /**
     * Waits until the engine has finished the batch, because the engine computes on the CPU, and reads labels and places
     * when it computes.
     */
    @Override
    public void awaitReuse(DeviceEvent free) {
        if (!free.isDone()) {
            long began = System.nanoTime();
            free.synchronize();
            reuseWaitNanos += System.nanoTime() - began;
        }
    }

    @Override
    public long reuseWaitNanos() {
        return reuseWaitNanos;
    }

    /** Returns the least duration of the engine's work on a batch with rows. */
    public Duration leastStep() {
        return leastStep;
    }

    /** Returns the link of copies. */
    public SimulatedLink link() {
        return link;
    }

    @Override
    public DeviceEvent event() {
        return HostEvent.untimed();
    }

    @Override
    public DeviceEvent timedEvent() {
        return HostEvent.timed();
    }

    @Override
    public DeviceUse use() {
        return use;
    }

    /** Ends both streams after their work; the owners of memory and batches still have to close them. */
    @Override
    public void close() {
        use.close();
        copies.close();
        engine.close();
    }
}

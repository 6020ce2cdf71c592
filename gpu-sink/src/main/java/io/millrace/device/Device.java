package io.millrace.device;

import io.millrace.batch.BatchSpec;

/**
 * A device that holds batches on the machine that trains, and the streams that copy bytes there.
 *
 * <p>Work is enqueued on {@linkplain DeviceStream streams}. Each stream does its work in order, and streams wait for
 * one another through {@linkplain DeviceEvent events}. A call that enqueues work may return before the work is done;
 * synchronize to wait for it. Any thread may call the methods. A device is opened once for a training task; its owner
 * closes it after everything that it made.
 */
public sealed interface Device extends AutoCloseable permits AsynchronousDevice, CudaDevice, HostDevice, BufferDevice {
    /** Returns the kind of device: {@code host}, {@code cuda}, {@code simulated} or {@code buffers}. */
    String name();

    /** Returns the device's name for people. */
    String describe();

    /**
     * Allocates memory of this process that the device reads and writes at full speed while the CPU continues:
     * page-locked memory, if the device makes that difference. The caller closes it when no copy uses it any more.
     *
     * @param bytes the size, up to 2 GiB
     * @param what a name of the memory for error messages
     * @throws DeviceMemoryException when there is not so much memory
     */
    AlignedMemory pageLocked(long bytes, String what);

    /**
     * Allocates memory of the device; its contents are undefined. The caller closes it when no work uses it any more.
     *
     * @param bytes the size, at least 1
     * @param what a name of the memory for error messages
     * @throws DeviceMemoryException when there is not so much memory
     */
    DeviceMemory memory(long bytes, String what);

    /** Creates a stream; the caller closes it. */
    DeviceStream stream();

    /** Returns the stream on which batches are copied; the device owns it. */
    DeviceStream copies();

    /** Returns the stream on which the training engine works; the device or the engine owns it. */
    DeviceStream engine();

    /** Creates an event, which counts as passed until it is recorded; the caller closes it. */
    DeviceEvent event();

    /**
     * Creates an event that also records the time when it passes. Create few of them, because times cost a device more.
     */
    DeviceEvent timedEvent();

    /**
     * Returns whether the engine works beside the thread that enqueues its work, so that only the device's own events
     * show when it works and when it idles.
     */
    boolean isAsynchronous();

    /** Returns whether the CPU can read the device's memory directly, when no work writes to it. */
    boolean isReadableByCpu();

    /**
     * Returns whether the CPU reads the batches as the host's engine needs them: bits as bytes, sparse rows with all
     * elements.
     */
    default boolean expandsRows() {
        return isReadableByCpu();
    }

    /**
     * Waits until a batch may be filled again, where copies into it cannot wait on the device. Only the thread that fills
     * batches calls it.
     *
     * @param free the event at the end of the engine's work on the batch
     */
    default void awaitReuse(DeviceEvent free) {}

    /** Returns the time in which {@link #awaitReuse} has waited, in nanoseconds; called by the same thread. */
    default long reuseWaitNanos() {
        return 0;
    }

    /** Returns the figures of the device's use. */
    DeviceUse use();

    /** Allocates a batch of up to {@code capacity} rows; the caller closes it before the device. */
    default DeviceBatch allocate(BatchSpec spec, int capacity) {
        return new DeviceBatch(this, spec, capacity);
    }

    /** Closes the device's own streams and memory; everything that it made for others must be closed already. */
    @Override
    void close();
}

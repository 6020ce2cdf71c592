package io.millrace.device;

import io.millrace.batch.BatchSpec;

/**
 * Memory for batches on the machine that trains, and what carries bytes there.
 *
 * <p>Work is asked for on {@linkplain DeviceStream streams}: each does its own in order, and they wait for one another
 * through {@linkplain DeviceEvent events}. A call that asks for work returns before it is done, or after: whoever needs to
 * know synchronizes. Methods may be called from any thread. Opened once for a training task; its owner closes it, after
 * all that it made.
 */
public sealed interface Device extends AutoCloseable permits CudaDevice, HostDevice {
    /** {@code host} or {@code cuda}. */
    String name();

    /** For people: which device it is. */
    String describe();

    /**
     * Memory of this process which the device reads and writes at full speed, and while the processor goes on: page-locked
     * where there is such a difference. The caller closes it once no copy uses it any more.
     *
     * @param bytes up to 2 GiB
     * @param what names the memory in errors
     * @throws DeviceMemoryException when there is not so much of it
     */
    AlignedMemory pageLocked(long bytes, String what);

    /**
     * Memory of the device; its contents are undefined. The caller closes it once no work uses it any more.
     *
     * @param bytes at least 1
     * @param what names the memory in errors
     * @throws DeviceMemoryException when there is not so much of it
     */
    DeviceMemory memory(long bytes, String what);

    /** A stream of the caller's own, who closes it. */
    DeviceStream stream();

    /** The stream that batches are copied on; the device's. */
    DeviceStream copies();

    /** The stream that the training engine works on; the device's, or the engine's own. */
    DeviceStream engine();

    /** An event that has passed; the caller closes it. */
    DeviceEvent event();

    /** The same, which also tells when it passed: for few of them, as times cost a device more. */
    DeviceEvent timedEvent();

    /** What the device is kept busy with. */
    DeviceUse use();

    /** Allocates a batch of up to {@code capacity} rows; the caller closes it before the device. */
    default DeviceBatch allocate(BatchSpec spec, int capacity) {
        return new DeviceBatch(this, spec, capacity);
    }

    /** Closes what belongs to the device; what it made for others must be closed already. */
    @Override
    void close();
}

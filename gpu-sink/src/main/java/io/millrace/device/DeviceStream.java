package io.millrace.device;

/**
 * A queue of a device's work, done in order. The methods enqueue work and may return before it is done; memory that the
 * work uses must stay untouched and open until then. Several threads may enqueue; the work of each keeps its order.
 */
public sealed interface DeviceStream extends AutoCloseable permits CudaStream, HostStream, SimulatedStream {
    /**
     * Copies into the device.
     *
     * @param source the address of the bytes in this process; unless it is page-locked, the call takes as long as the
     *     copy
     */
    void copyIn(long source, DeviceMemory target, long offset, long bytes);

    /** Copies within one block; the two parts must not overlap. */
    void copyWithin(DeviceMemory memory, long from, long to, long bytes);

    /**
     * Copies out of the device.
     *
     * @param target the address for the bytes in this process; unless it is page-locked, the call takes as long as the
     *     copy
     */
    void copyOut(DeviceMemory source, long offset, long target, long bytes);

    /**
     * Records an event, which passes when all work enqueued so far is done. The recording replaces an earlier recording
     * of the event.
     */
    void record(DeviceEvent event);

    /** Makes the work enqueued from now on wait until the event, as it was recorded last, has passed. */
    void await(DeviceEvent event);

    /** Waits until all work enqueued so far is done. */
    void synchronize();

    /** Waits for the work and ends the stream; closing again does nothing. */
    @Override
    void close();

    /** Throws when two parts overlap. */
    static void requireApart(long from, long to, long bytes) {
        if (Math.abs(from - to) < bytes) {
            throw new IllegalArgumentException(bytes + " bytes from " + from + " overlap with those from " + to);
        }
    }
}

package io.millrace.device;

/**
 * A queue of a device's work, done in order. The methods ask for work and may return before it is done; memory that it
 * uses stays untouched and open until then. May be used by several threads; what each asks for keeps its order.
 */
public sealed interface DeviceStream extends AutoCloseable permits CudaStream, HostStream, SimulatedStream {
    /**
     * Copies into the device.
     *
     * @param source where the bytes are in this process; page-locked, or the call takes as long as the copy
     */
    void copyIn(long source, DeviceMemory target, long offset, long bytes);

    /** Copies within one block; the two parts do not overlap. */
    void copyWithin(DeviceMemory memory, long from, long to, long bytes);

    /**
     * Copies out of the device.
     *
     * @param target where the bytes go in this process; page-locked, or the call takes as long as the copy
     */
    void copyOut(DeviceMemory source, long offset, long target, long bytes);

    /** The event passes when all work asked for so far is done; what it stood for before is forgotten. */
    void record(DeviceEvent event);

    /** What is asked for from now on begins when the event, as it was recorded last, has passed. */
    void await(DeviceEvent event);

    /** Waits until all work asked for so far is done. */
    void synchronize();

    /** Waits for the work and ends the stream; closing again does nothing. */
    @Override
    void close();

    /** Refuses parts that overlap. */
    static void requireApart(long from, long to, long bytes) {
        if (Math.abs(from - to) < bytes) {
            throw new IllegalArgumentException(bytes + " bytes from " + from + " overlap with those from " + to);
        }
    }
}

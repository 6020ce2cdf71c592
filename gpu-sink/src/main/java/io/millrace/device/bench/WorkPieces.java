package io.millrace.device.bench;

import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.device.DeviceMemoryException;
import io.millrace.lifecycle.Handles;

/**
 * Pieces of work for the engine's stream, which are copies of one size within the device's memory. Used by one thread
 * at a time.
 */
final class WorkPieces implements AutoCloseable {
    /** The smallest size of a piece. */
    static final int LEAST_BYTES = 64 << 10;

    private static final int TRIES = 5;

    private final Device device;
    private final DeviceMemory memory;
    private final int bytes;
    private final LaunchLimiter ahead;
    private final Handles handles = new Handles();

    private WorkPieces(Device device, DeviceMemory memory) {
        this.device = device;
        this.memory = handles.add(memory);
        this.bytes = (int) (memory.bytes() / 2);
        this.ahead = handles.closeOnFailure(() -> handles.add(new LaunchLimiter(device, device.engine())));
    }

    /**
     * Allocates memory for pieces of a size. If the device does not have so much memory, the size is halved until the
     * memory suffices.
     *
     * @param bytes the size of a piece, at least {@link #LEAST_BYTES}
     */
    static WorkPieces allocate(Device device, int bytes) {
        for (int piece = bytes; ; piece /= 2) {
            try {
                return new WorkPieces(device, device.memory(2L * piece, "a step's work"));
            } catch (DeviceMemoryException e) {
                if (piece / 2 < LEAST_BYTES) {
                    throw e;
                }
            }
        }
    }

    /** Returns the size of one piece. */
    int bytes() {
        return bytes;
    }

    /** Enqueues {@code count} pieces. Waits while the stream has hundreds of pending pieces. */
    void enqueue(int count) {
        for (int i = 0; i < count; i++) {
            device.engine().copyWithin(memory, 0, bytes, bytes);
            ahead.enqueued();
        }
    }

    /**
     * Returns the time of {@code count} pieces in nanoseconds when the device does nothing else. The time is the median
     * of some tries.
     */
    double nanos(int count) {
        return Medians.of(TRIES, () -> {
            long began = System.nanoTime();
            enqueue(count);
            device.engine().synchronize();
            return System.nanoTime() - began;
        });
    }

    /** Waits for the work. */
    @Override
    public void close() {
        handles.close();
    }
}

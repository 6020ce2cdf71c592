package io.millrace.device.bench;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.lifecycle.Handles;
import java.time.Duration;

/**
 * Work that stands for a training step. It consists of copies within the device's memory on the engine's stream, whose
 * number is chosen so that they take about the time of the step. This is real work for the device and needs no kernel
 * of our own. Used by one thread at a time.
 */
final class CalibratedWork implements AutoCloseable {
    /**
     * The largest size of a piece in bytes. A GPU needs a fraction of a millisecond for it, so a step of 100 ms has
     * some hundred pieces.
     */
    private static final int MOST_BYTES = 512 << 20;

    /**
     * The largest size of a piece in bytes on the host, where smaller pieces are no slower. The speed of a GPU is also
     * measured with pieces of this size.
     */
    private static final int MOST_HOST_BYTES = 32 << 20;

    /**
     * The smallest number of pieces in a step. With fewer pieces, the length of the step could not be matched closely.
     */
    private static final int PIECES = 8;

    private final WorkPieces pieces;
    private final int count;
    private final double nanos;
    private final Handles handles = new Handles();

    /**
     * Measures the amount of work that takes the given time.
     *
     * @param leaveBytes the bytes of the device's memory that batches need
     */
    CalibratedWork(Device device, Duration length, long leaveBytes) {
        double nanosWanted = length.toNanos();
        int most = largestPiece(device, leaveBytes);
        double bytesPerNano;
        try (WorkPieces first = WorkPieces.allocate(device, Math.min(most, MOST_HOST_BYTES))) {
            bytesPerNano = first.bytes() * (PIECES / first.nanos(PIECES));
        }
        int fitting = (int) Math.max(WorkPieces.LEAST_BYTES, Math.min(most, bytesPerNano * nanosWanted / PIECES));
        this.pieces = handles.add(WorkPieces.allocate(device, fitting));
        this.count = (int)
                Math.max(1, Math.round(nanosWanted * PIECES / handles.closeOnFailure(() -> pieces.nanos(PIECES))));
        this.nanos = handles.closeOnFailure(() -> pieces.nanos(count));
    }

    private static int largestPiece(Device device, long leaveBytes) {
        if (device instanceof CudaDevice cuda) {
            CudaDevice.MemoryUse use = cuda.memoryUse();
            long room = (use.totalBytes() - use.usedBytes() - leaveBytes) / 2;
            return (int) Math.max(WorkPieces.LEAST_BYTES, Math.min(MOST_BYTES, room));
        }
        return MOST_HOST_BYTES;
    }

    /** Enqueues one step on the engine's stream. */
    void enqueue() {
        pieces.enqueue(count);
    }

    /** Returns the time of a step when the device does nothing else, in nanoseconds. */
    double nanos() {
        return nanos;
    }

    /** Waits for the work. */
    @Override
    public void close() {
        handles.close();
    }
}

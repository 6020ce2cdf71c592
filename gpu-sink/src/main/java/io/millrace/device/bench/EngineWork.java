package io.millrace.device.bench;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.lifecycle.Handles;
import java.time.Duration;

/**
 * What stands for a training step: copies within the device's memory on the engine's stream, so many that they take about
 * as long. Real work of the device, without code of our own on it. One thread at a time.
 */
final class EngineWork implements AutoCloseable {
    /** A GPU takes a fraction of a millisecond for it, so that a step of 100 ms is some hundred pieces. */
    private static final int MOST_BYTES = 512 << 20;

    /** The processor loses nothing by smaller ones; a GPU's speed is found out with them. */
    private static final int MOST_HOST_BYTES = 32 << 20;

    /** A step is at least so many pieces, so that its length can be met. */
    private static final int PIECES = 8;

    private final WorkPieces pieces;
    private final int count;
    private final double nanos;
    private final Handles handles = new Handles();

    /**
     * Finds out how much work takes so long.
     *
     * @param leaveBytes of the device's memory that are needed for batches
     */
    EngineWork(Device device, Duration length, long leaveBytes) {
        double wanted = length.toNanos();
        int most = most(device, leaveBytes);
        double bytesPerNano;
        try (WorkPieces first = WorkPieces.take(device, Math.min(most, MOST_HOST_BYTES))) {
            bytesPerNano = first.bytes() * (PIECES / first.nanos(PIECES));
        }
        int fitting = (int) Math.max(WorkPieces.LEAST_BYTES, Math.min(most, bytesPerNano * wanted / PIECES));
        this.pieces = handles.add(WorkPieces.take(device, fitting));
        this.count =
                (int) Math.max(1, Math.round(wanted * PIECES / handles.closeOnFailure(() -> pieces.nanos(PIECES))));
        this.nanos = handles.closeOnFailure(() -> pieces.nanos(count));
    }

    private static int most(Device device, long leaveBytes) {
        if (device instanceof CudaDevice cuda) {
            CudaDevice.MemoryUse use = cuda.memoryUse();
            long room = (use.totalBytes() - use.usedBytes() - leaveBytes) / 2;
            return (int) Math.max(WorkPieces.LEAST_BYTES, Math.min(MOST_BYTES, room));
        }
        return MOST_HOST_BYTES;
    }

    /** Asks the engine's stream for one step. */
    void ask() {
        pieces.ask(count);
    }

    /** How long a step takes when nothing else is done, in nanoseconds. */
    double nanos() {
        return nanos;
    }

    /** Waits for the work. */
    @Override
    public void close() {
        handles.close();
    }
}

package io.millrace.device.bench;

import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.device.Handles;
import java.time.Duration;

/**
 * What stands for a training step: copies within the device's memory on the engine's stream, so many that they take about
 * as long. Real work of the device, without code of our own on it.
 */
final class EngineWork implements AutoCloseable {
    private static final int MOST_PIECE_BYTES = 32 << 20;
    private static final int LEAST_PIECE_BYTES = 64 << 10;

    /** A step is at least so many pieces, so that its length can be met. */
    private static final int PIECES = 8;

    private static final int TRIES = 5;

    private final Device device;
    private final DeviceMemory memory;
    private final Handles handles = new Handles();
    private final int pieceBytes;
    private final int pieces;
    private final double nanos;

    /** Finds out how much work takes so long. */
    EngineWork(Device device, Duration length) {
        this.device = device;
        this.memory = handles.add(device.memory(2L * MOST_PIECE_BYTES, "a step's work"));
        handles.add(() -> device.engine().synchronize());
        double wanted = length.toNanos();
        double large = handles.closeOnFailure(() -> best(PIECES, MOST_PIECE_BYTES) / PIECES);
        this.pieceBytes = (int)
                Math.max(LEAST_PIECE_BYTES, Math.min(MOST_PIECE_BYTES, MOST_PIECE_BYTES * (wanted / PIECES / large)));
        double each = handles.closeOnFailure(() -> best(PIECES, pieceBytes) / PIECES);
        this.pieces = (int) Math.max(1, Math.round(wanted / each));
        this.nanos = handles.closeOnFailure(() -> best(pieces, pieceBytes));
    }

    private double best(int count, int bytes) {
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < TRIES; i++) {
            long began = System.nanoTime();
            ask(count, bytes);
            device.engine().synchronize();
            best = Math.min(best, (double) (System.nanoTime() - began));
        }
        return best;
    }

    private void ask(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            device.engine().copyWithin(memory, 0, MOST_PIECE_BYTES, bytes);
        }
    }

    /** Asks the engine's stream for one step. */
    void ask() {
        ask(pieces, pieceBytes);
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

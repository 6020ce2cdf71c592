package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/**
 * A preallocated batch in host memory, filled by the operator's thread, then read by the trainer's; handed over through
 * a queue, never shared.
 *
 * <p>Rows are written at their place; {@link #seal} closes the gaps that quarantined rows leave, in order of place.
 */
public final class DeviceBatch implements AutoCloseable {
    private final BatchSpec spec;
    private final int capacity;

    DeviceBatch(BatchSpec spec, int capacity) {
        this.spec = spec;
        this.capacity = capacity;
    }

    public BatchSpec spec() {
        return spec;
    }

    public int capacity() {
        return capacity;
    }

    /** Begins to fill: the batch has this place in the run and expects rows 0 to {@code rows - 1}. */
    public void begin(long number, long step, int epoch, Split split, int rows) {
        throw new UnsupportedOperationException("TODO");
    }

    /**
     * Copies one row of a column from native memory.
     *
     * @param address where the row's bytes begin; {@link BatchSpec.Column#rowBytes()} of them are read
     */
    public void put(int column, int row, long address) {
        throw new UnsupportedOperationException("TODO");
    }

    /** States a row's sample and label; the row is then present. */
    public void place(int row, long position, long index, long label) {
        throw new UnsupportedOperationException("TODO");
    }

    /** Ends filling: present rows move together, keeping their order. */
    public void seal() {
        throw new UnsupportedOperationException("TODO");
    }

    /** Rows present, once sealed. */
    public int rows() {
        throw new UnsupportedOperationException("TODO");
    }

    public long number() {
        throw new UnsupportedOperationException("TODO");
    }

    public long step() {
        throw new UnsupportedOperationException("TODO");
    }

    public int epoch() {
        throw new UnsupportedOperationException("TODO");
    }

    public Split split() {
        throw new UnsupportedOperationException("TODO");
    }

    /** A column's present rows; 64-byte aligned native memory that belongs to the batch. */
    public ByteBuffer column(int column) {
        throw new UnsupportedOperationException("TODO");
    }

    /** The labels of the present rows; native memory that belongs to the batch. */
    public LongBuffer labels() {
        throw new UnsupportedOperationException("TODO");
    }

    /** The sample index of a present row. */
    public long index(int row) {
        throw new UnsupportedOperationException("TODO");
    }

    @Override
    public void close() {}
}

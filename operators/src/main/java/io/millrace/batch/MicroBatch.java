package io.millrace.batch;

import io.millrace.sample.BadSample;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Packed rows in Arrow memory: what travels from the stages to the trainer.
 *
 * <p>Whoever receives one closes it; closing twice is allowed, every other use after closing throws
 * {@link IllegalStateException}. A micro-batch that {@link Packer#flush} made is <em>lent</em>: closing it gives the
 * memory back to the packer, which fills it again. One that came over the network has memory of its own. Used by one
 * thread at a time.
 */
public final class MicroBatch implements AutoCloseable {
    private enum State {
        OPEN,
        CLOSED
    }

    private final RowBuffers buffers;
    private final int rows;
    private final SortedMap<Integer, BadSample> failures;
    private final Runnable release;
    private State state = State.OPEN;

    /** Takes ownership of nothing but the right to the buffers until closed, which runs {@code release} once. */
    MicroBatch(RowBuffers buffers, int rows, SortedMap<Integer, BadSample> failures, Runnable release) {
        this.buffers = buffers;
        this.rows = rows;
        this.failures = Collections.unmodifiableSortedMap(failures);
        this.release = release;
    }

    public BatchSpec spec() {
        return buffers.spec();
    }

    /** The number of rows, quarantined ones included; at least 1. */
    public int rows() {
        return rows;
    }

    /** The number of quarantined rows. */
    public int quarantined() {
        return failures.size();
    }

    /** The row's place in the run, as {@link io.millrace.order.BatchPlan} counts. */
    public long position(int row) {
        return buffers.positions().getLong((long) checked(row) * Long.BYTES);
    }

    /** The row's sample in its dataset. */
    public long index(int row) {
        return buffers.indexes().getLong((long) checked(row) * Long.BYTES);
    }

    public long label(int row) {
        return buffers.labels().getLong((long) checked(row) * Long.BYTES);
    }

    /** Whether the row stands for a bad sample: it has a position, an index and a label, and no columns. */
    public boolean isQuarantined(int row) {
        return failures.containsKey(checked(row));
    }

    /** Why the row's sample is bad, or null for a good one. */
    public @Nullable BadSample failure(int row) {
        return failures.get(checked(row));
    }

    /**
     * Where the row's bytes begin in native memory: {@link #bytes} of them, row-major, and little-endian where elements
     * have several bytes. Valid until the micro-batch is closed; not to be written to.
     *
     * @param column the number of the column in the spec
     * @throws IllegalStateException when the row is quarantined, or the micro-batch closed
     */
    public long address(int column, int row) {
        requireColumns(row);
        return buffers.address(column, row);
    }

    /**
     * How many bytes the row has in that column: as many as any, but where the column is ragged.
     *
     * @param column the number of the column in the spec
     * @throws IllegalStateException when the row is quarantined, or the micro-batch closed
     */
    public int bytes(int column, int row) {
        requireColumns(row);
        return buffers.bytes(column, row);
    }

    private void requireColumns(int row) {
        if (isQuarantined(row)) {
            throw new IllegalStateException("row " + row + " is quarantined and has no columns: " + failures.get(row));
        }
    }

    @Override
    public void close() {
        if (state == State.OPEN) {
            state = State.CLOSED;
            release.run();
        }
    }

    @Override
    public String toString() {
        return "MicroBatch[" + rows + " rows, " + failures.size() + " quarantined, " + state + "]";
    }

    RowBuffers buffers() {
        requireOpen();
        return buffers;
    }

    SortedMap<Integer, BadSample> failures() {
        return failures;
    }

    private int checked(int row) {
        requireOpen();
        return Objects.checkIndex(row, rows);
    }

    private void requireOpen() {
        if (state != State.OPEN) {
            throw new IllegalStateException("the micro-batch is closed and its memory may hold other rows. A packer's"
                    + " micro-batch lives until the packer has emitted it: behind it there must be a network edge");
        }
    }
}

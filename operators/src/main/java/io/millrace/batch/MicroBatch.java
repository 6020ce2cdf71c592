package io.millrace.batch;

import io.millrace.sample.BadSample;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Packed rows in Arrow memory: the record that crosses the network to the trainer.
 *
 * <p>The receiver of a micro-batch closes it. Closing twice is allowed; every other use after closing throws
 * {@link IllegalStateException}. A micro-batch from {@link Packer#flush} is <em>lent</em>: closing it returns the memory to the
 * packer, which fills it again. A micro-batch from the network has memory of its own. Used by one thread at a time.
 *
 * <p>Tested by {@code PackerTest}.
 */
public final class MicroBatch implements AutoCloseable {
    private enum State {
        OPEN,
        CLOSED
    }

    private final RowBuffers buffers;
    private final int rows;
    private final SortedMap<Integer, BadSample> badSamples;
    private final Runnable release;
    private State state = State.OPEN;

    /**
     * Creates a micro-batch over buffers without taking ownership of them. Closing it runs {@code release} once.
     */
    MicroBatch(RowBuffers buffers, int rows, SortedMap<Integer, BadSample> badSamples, Runnable release) {
        this.buffers = buffers;
        this.rows = rows;
        this.badSamples = Collections.unmodifiableSortedMap(badSamples);
        this.release = release;
    }

    public BatchSpec spec() {
        return buffers.spec();
    }

    /** Returns the number of rows, including quarantined ones; at least 1. */
    public int rows() {
        return rows;
    }

    /** Returns the number of quarantined rows. */
    public int quarantined() {
        return badSamples.size();
    }

    /** Returns the position of a row in the run, as {@link io.millrace.order.BatchPlan} counts it. */
    public long position(int row) {
        return buffers.positions().getLong((long) requireRow(row) * Long.BYTES);
    }

    /** Returns the index of a row's sample in its dataset. */
    public long index(int row) {
        return buffers.indexes().getLong((long) requireRow(row) * Long.BYTES);
    }

    public long label(int row) {
        return buffers.labels().getLong((long) requireRow(row) * Long.BYTES);
    }

    /** Returns whether a row stands for a bad sample: it has a position, an index and a label, but no columns. */
    public boolean isQuarantined(int row) {
        requireRow(row);
        return !badSamples.isEmpty() && badSamples.containsKey(row); // mostly there is none
    }

    /** Returns the bad sample of a row, or null for a good one. */
    public @Nullable BadSample badSample(int row) {
        return badSamples.get(requireRow(row));
    }

    /**
     * Returns the address of a row's values in native memory: {@link #bytes} bytes, row-major, and little-endian where
     * elements have several bytes. The memory is valid until the micro-batch is closed, and must not be written to.
     *
     * @param column the number of the column in the spec
     * @param row the number of the row
     * @throws IllegalStateException when the row is quarantined, or the micro-batch closed
     */
    public long address(int column, int row) {
        requireColumns(row);
        return buffers.address(column, row);
    }

    /**
     * Returns the number of bytes of a row in a column. Only ragged and sparse columns have rows of different lengths.
     *
     * @param column the number of the column in the spec
     * @param row the number of the row
     * @throws IllegalStateException when the row is quarantined, or the micro-batch closed
     */
    public int bytes(int column, int row) {
        requireColumns(row);
        return buffers.bytes(column, row);
    }

    /**
     * Returns the number of rows of a column that lie one after another in memory, from a row on. Rows of a column whose rows
     * vary always do.
     *
     * @param row a row; none of the {@code most} rows that begin with it is quarantined
     * @param most the largest number to return, at least 1
     */
    public int adjacent(int column, int row, int most) {
        requireColumns(row);
        Objects.checkFromIndexSize(row, most, rows);
        return buffers.adjacent(column, row, most);
    }

    private void requireColumns(int row) {
        if (isQuarantined(row)) {
            throw new IllegalStateException(
                    "row " + row + " is quarantined and has no columns: " + badSamples.get(row));
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
        return "MicroBatch[" + rows + " rows, " + badSamples.size() + " quarantined, " + state + "]";
    }

    RowBuffers buffers() {
        requireOpen();
        return buffers;
    }

    SortedMap<Integer, BadSample> badSamples() {
        return badSamples;
    }

    private int requireRow(int row) {
        requireOpen();
        return Objects.checkIndex(row, rows);
    }

    private void requireOpen() {
        if (state != State.OPEN) {
            throw new IllegalStateException(
                    "the micro-batch is closed and its memory may hold other rows. A packer's"
                            + " micro-batch lives until the packer has emitted it: the edge after the packer must be a network edge");
        }
    }
}

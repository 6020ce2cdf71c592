package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.RowStore;
import io.millrace.sample.Failure;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * A preallocated batch in host memory, filled by the operator's thread, then read by the trainer's; handed over through
 * a queue, never shared.
 *
 * <p>Rows are written at their place; {@link #seal} closes the gaps that quarantined rows leave, in order of place. One
 * batch serves any number of steps: {@link #begin} starts anew in the same memory.
 */
public final class DeviceBatch implements AutoCloseable {
    private enum State {
        IDLE,
        FILLING,
        SEALED,
        CLOSED
    }

    private final BatchSpec spec;
    private final int capacity;
    private final List<ColumnRows> columns = new ArrayList<>();
    private final AlignedMemory labels;
    private final long[] positions;
    private final long[] indices;
    private final boolean[] present;
    private final List<Missing> missing = new ArrayList<>();

    private State state = State.IDLE;
    private long number;
    private long step;
    private int epoch;
    private Split split = Split.TRAIN;
    private int expectedRows;
    private int rows;

    DeviceBatch(BatchSpec spec, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a batch needs room for at least 1 row, found " + capacity);
        }
        this.spec = spec;
        this.capacity = capacity;
        this.labels = AlignedMemory.allocate((long) capacity * Long.BYTES, "the labels of a batch");
        this.positions = new long[capacity];
        this.indices = new long[capacity];
        this.present = new boolean[capacity];
        try {
            for (BatchSpec.Column column : spec.columns()) {
                columns.add(ColumnRows.allocate(column, capacity));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            close();
            throw e;
        }
    }

    /** What the rows hold; what was sent as bits has become bytes. */
    public BatchSpec spec() {
        return spec;
    }

    /** The most rows that fit. */
    public int capacity() {
        return capacity;
    }

    /**
     * Begins to fill: the batch has this place in the run and expects rows 0 to {@code rows - 1}. What it held before
     * is forgotten.
     *
     * @throws IllegalArgumentException when {@code rows} is negative or over the capacity
     */
    public void begin(long number, long step, int epoch, Split split, int rows) {
        if (state == State.CLOSED) {
            throw new IllegalStateException("the batch is closed");
        }
        if (rows < 0 || rows > capacity) {
            throw new IllegalArgumentException("a batch of " + rows + " rows in memory for " + capacity);
        }
        Arrays.fill(present, false);
        missing.clear();
        this.number = number;
        this.step = step;
        this.epoch = epoch;
        this.split = split;
        this.expectedRows = rows;
        this.rows = 0;
        columns.forEach(ColumnRows::begin);
        this.state = State.FILLING;
    }

    /**
     * Copies one row of a column from native memory, as it was sent.
     *
     * @param address where the row's bytes begin
     * @param bytes how many it has, {@link BatchSpec.Column#rowBytes()} where the column is not ragged
     */
    public void put(int column, int row, long address, int bytes) {
        check(State.FILLING);
        checkRow(row, expectedRows);
        columns.get(column).put(row, address, bytes);
    }

    /** The same for a column that is not ragged. */
    public void put(int column, int row, long address) {
        put(column, row, address, spec.columns().get(column).rowBytes());
    }

    /**
     * States a row's sample and label; the row is then present.
     *
     * @throws IllegalStateException when the row is present already
     */
    public void place(int row, long position, long index, long label) {
        check(State.FILLING);
        checkRow(row, expectedRows);
        if (present[row]) {
            throw new IllegalStateException("row " + row + " of batch " + number + " is placed twice: samples "
                    + indices[row] + " and " + index);
        }
        present[row] = true;
        positions[row] = position;
        indices[row] = index;
        MemoryUtil.putLong(labels.address() + (long) row * Long.BYTES, label);
        rows++;
    }

    /**
     * States that the sample of a row is bad: the batch will do without it.
     *
     * @param row its place, which no other row has
     */
    public void miss(int row, long position, long index, Failure failure) {
        check(State.FILLING);
        checkRow(row, expectedRows);
        missing.add(new Missing(position, index, failure));
    }

    /** The rows that came so far, as they were sent, missing ones included; each is valid while the batch is filled. */
    public List<RowStore.Row> arrived() {
        check(State.FILLING);
        List<RowStore.Row> arrived = new ArrayList<>(missing);
        for (int row = 0; row < expectedRows; row++) {
            if (present[row]) {
                arrived.add(new Present(row));
            }
        }
        return arrived;
    }

    /** The sample indexes of the rows that the batch lacks, in order of their places. */
    public List<Long> missingIndexes() {
        return missing.stream()
                .sorted(Comparator.comparingLong(Missing::position))
                .map(Missing::index)
                .toList();
    }

    /** The rows that have been placed so far; the batch may still be filled. */
    public int placedRows() {
        return rows;
    }

    /** Ends filling: present rows move together, keeping their order. */
    public void seal() {
        check(State.FILLING);
        for (ColumnRows column : columns) {
            column.seal(present, expectedRows);
        }
        if (rows < expectedRows) {
            closeGaps();
        }
        state = State.SEALED;
    }

    private void closeGaps() {
        int to = 0;
        for (int from = 0; from < expectedRows; from++) {
            if (!present[from]) {
                continue;
            }
            if (from != to) {
                move(from, to);
            }
            to++;
        }
    }

    private void move(int from, int to) {
        MemoryUtil.copyMemory(
                labels.address() + (long) from * Long.BYTES, labels.address() + (long) to * Long.BYTES, Long.BYTES);
        positions[to] = positions[from];
        indices[to] = indices[from];
    }

    /** Rows present, once sealed. */
    public int rows() {
        check(State.SEALED);
        return rows;
    }

    /** The batch's number in the run, evaluation batches included, as {@code BatchPlan} counts. */
    public long number() {
        return number;
    }

    /** The training step that the batch is for, or that it follows when it is for evaluation. */
    public long step() {
        return step;
    }

    /** The epoch, from 0. */
    public int epoch() {
        return epoch;
    }

    /** Whether to train or to evaluate. */
    public Split split() {
        return split;
    }

    /**
     * A column's present rows; 64-byte aligned native memory that belongs to the batch, in native byte order. Bits are
     * bytes of 0 and 1. Of a ragged column the entries of all rows, one after another.
     */
    public ByteBuffer column(int column) {
        check(State.SEALED);
        return columns.get(column).values();
    }

    /**
     * Where the rows of a ragged column begin, counted in entries, and behind the last where it ends; belongs to the batch.
     *
     * @throws IllegalArgumentException when the column is not ragged
     */
    public LongBuffer offsets(int column) {
        check(State.SEALED);
        if (columns.get(column) instanceof RaggedRows entries) {
            return entries.offsets();
        }
        throw new IllegalArgumentException(
                "column '" + spec.columns().get(column).name() + "' is not ragged: its rows have one length");
    }

    /** The bytes of the present rows' columns as they were sent. */
    public long sentBytes() {
        check(State.SEALED);
        long bytes = (long) rows * spec.rowBytes();
        for (ColumnRows column : columns) {
            bytes += column instanceof RaggedRows entries ? entries.values().remaining() : 0;
        }
        return bytes;
    }

    /** The labels of the present rows; native memory that belongs to the batch. */
    public LongBuffer labels() {
        check(State.SEALED);
        return labels.slice(0, rows * Long.BYTES).asLongBuffer();
    }

    /** The label of a present row. */
    public long label(int row) {
        check(State.SEALED);
        checkRow(row, rows);
        return MemoryUtil.getLong(labels.address() + (long) row * Long.BYTES);
    }

    /** The sample index of a present row. */
    public long index(int row) {
        check(State.SEALED);
        checkRow(row, rows);
        return indices[row];
    }

    /** The place in the run of a present row. */
    public long position(int row) {
        check(State.SEALED);
        checkRow(row, rows);
        return positions[row];
    }

    /** A row without columns. */
    private record Missing(long position, long index, Failure failure) implements RowStore.Row {
        @Override
        public long label() {
            return 0;
        }

        @Override
        public int bytes(int column) {
            throw new IllegalStateException("a missing row has no columns");
        }

        @Override
        public void copyTo(int column, long address) {
            throw new IllegalStateException("a missing row has no columns");
        }
    }

    /** A row at its place, before the batch is sealed. */
    private final class Present implements RowStore.Row {
        private final int row;

        private Present(int row) {
            this.row = row;
        }

        @Override
        public long position() {
            return positions[row];
        }

        @Override
        public long index() {
            return indices[row];
        }

        @Override
        public long label() {
            return MemoryUtil.getLong(labels.address() + (long) row * Long.BYTES);
        }

        @Override
        public @Nullable Failure failure() {
            return null;
        }

        @Override
        public int bytes(int column) {
            return columns.get(column).bytes(row);
        }

        @Override
        public void copyTo(int column, long address) {
            columns.get(column).copyTo(row, address);
        }
    }

    private void check(State expected) {
        if (state != expected) {
            throw new IllegalStateException("the batch is " + state + ", expected " + expected);
        }
    }

    private static void checkRow(int row, int limit) {
        if (row < 0 || row >= limit) {
            throw new IndexOutOfBoundsException("row " + row + " of " + limit);
        }
    }

    /** Frees the memory; nothing may use the batch's buffers afterwards. Closing again does nothing. */
    @Override
    public void close() {
        state = State.CLOSED;
        columns.forEach(ColumnRows::close);
        labels.close();
    }
}

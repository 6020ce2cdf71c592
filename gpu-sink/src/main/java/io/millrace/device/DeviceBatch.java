package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.RowStore;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A preallocated batch in a device's memory, filled by the operator's thread, then read by the trainer's; handed over
 * through a queue, never shared.
 *
 * <p>Rows are copied to their place, on the device's stream of copies; {@link #seal} closes the gaps that quarantined rows
 * leave, in order of place. One batch serves any number of steps: {@link #begin} starts anew in the same memory.
 *
 * <p><b>Order.</b> No thread waits for a copy. {@link #seal} records that the batch is ready; {@link #beginUse} makes the
 * engine's stream wait for that, {@link #endUse} records there that the batch is free, and the copies of the next
 * {@link #begin} wait for that on their stream. So copies of one batch go on beside the step on another.
 */
public final class DeviceBatch implements AutoCloseable {
    private enum State {
        IDLE,
        FILLING,
        SEALED,
        CLOSED
    }

    private final Device device;
    private final BatchSpec spec;
    private final int capacity;
    private final Handles handles = new Handles();
    private final AlignedMemory labels;
    private final DeviceMemory sentLabels;
    private final List<ColumnRows> columns;
    private final PlacedRows placed;

    /** The copies are done; the engine is done with them. */
    private final DeviceEvent ready;

    private final DeviceEvent free;

    private State state = State.IDLE;
    private long number;
    private long step;
    private int epoch;
    private Split split = Split.TRAIN;

    DeviceBatch(Device device, BatchSpec spec, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a batch needs room for at least 1 row, found " + capacity);
        }
        this.device = device;
        this.spec = spec;
        this.capacity = capacity;
        long labelBytes = (long) capacity * Long.BYTES;
        this.labels = handles.add(device.pageLocked(labelBytes, "the labels of a batch"));
        this.placed = new PlacedRows(capacity, labels);
        this.sentLabels = opened(() -> device.memory(labelBytes, "the labels of a batch"));
        this.columns = spec.columns().stream()
                .map(column -> opened(() -> ColumnRows.allocate(device, column, capacity)))
                .toList();
        this.ready = opened(device::event);
        this.free = opened(device::event);
        handles.add(this::settle); // closed first
    }

    private <T extends AutoCloseable> T opened(Supplier<T> opening) {
        return handles.closeOnFailure(() -> handles.add(opening.get()));
    }

    /** What the rows hold. */
    public BatchSpec spec() {
        return spec;
    }

    /** The most rows that fit. */
    public int capacity() {
        return capacity;
    }

    /**
     * Whether the engine is done with what it was asked for on this batch. Until then the copies of the next rows wait, and
     * so do all that are asked for after them, those of other batches included.
     */
    public boolean isFree() {
        return free.isDone();
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
        placed.begin(rows);
        // Labels and ragged rows were copied from memory that is written again now. The engine waited for that already.
        ready.synchronize();
        device.copies().await(free);
        this.number = number;
        this.step = step;
        this.epoch = epoch;
        this.split = split;
        columns.forEach(ColumnRows::begin);
        this.state = State.FILLING;
    }

    /**
     * Takes rows of a micro-batch, none of them quarantined, to as many places: what lies one after another goes in one
     * copy. The micro-batch stays open until the {@linkplain Device#copies copies} asked for so far are done.
     *
     * @param row the first place
     * @param from the first row of the micro-batch
     */
    public void put(int row, MicroBatch source, int from, int count) {
        check(State.FILLING);
        PlacedRows.checkRow(row, placed.expected());
        PlacedRows.checkRow(row + count - 1, placed.expected());
        device.use().copying();
        long copied = 0;
        for (int column = 0; column < columns.size(); column++) {
            if (columns.get(column) instanceof DenseRows dense) {
                dense.putAll(row, count, source.address(column, from));
                copied += (long) count * spec.columns().get(column).rowBytes();
            }
        }
        device.use().copied(copied);
        for (int column = 0; column < columns.size(); column++) {
            if (!(columns.get(column) instanceof DenseRows)) {
                for (int i = 0; i < count; i++) {
                    columns.get(column).put(row + i, source.address(column, from + i), source.bytes(column, from + i));
                }
            }
        }
        for (int i = from; i < from + count; i++) {
            placed.place(number, row + i - from, source.position(i), source.index(i), source.label(i));
        }
    }

    /**
     * Takes one row of a column from memory of this process, as it was sent; that stays untouched until the copies asked
     * for so far are done.
     *
     * @param address where the row's bytes begin
     * @param bytes how many it has, {@link BatchSpec.Column#rowBytes()} where the column is not ragged
     */
    public void put(int column, int row, long address, int bytes) {
        check(State.FILLING);
        PlacedRows.checkRow(row, placed.expected());
        ColumnRows rows = columns.get(column);
        if (!(rows instanceof DenseRows)) {
            rows.put(row, address, bytes); // is not copied to the device before all rows are there
            return;
        }
        device.use().copying();
        rows.put(row, address, bytes);
        device.use().copied(bytes);
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
        placed.place(number, row, position, index, label);
    }

    /**
     * States that the sample of a row is bad: the batch will do without it.
     *
     * @param row its place, which no other row has
     */
    public void miss(int row, long position, long index, BadSample failure) {
        check(State.FILLING);
        placed.miss(row, position, index, failure);
    }

    /**
     * The rows that came so far, as they were sent, missing ones included; each is valid while the batch is filled. Waits
     * for the copies.
     */
    public List<RowStore.Row> arrived() {
        check(State.FILLING);
        device.copies().synchronize();
        List<RowStore.Row> arrived = new ArrayList<>(placed.missing());
        for (int row = 0; row < placed.expected(); row++) {
            if (placed.present()[row]) {
                arrived.add(new PresentRow(placed, columns, row));
            }
        }
        return arrived;
    }

    /** The sample indexes of the rows that the batch lacks, in order of their places. */
    public List<Long> missingIndexes() {
        return placed.missingIndexes();
    }

    /** The rows that have been placed so far; the batch may still be filled. */
    public int placedRows() {
        return placed.count();
    }

    /** Ends filling: present rows move together, keeping their order. */
    public void seal() {
        check(State.FILLING);
        for (ColumnRows column : columns) {
            column.seal(placed.present(), placed.expected());
        }
        placed.closeGaps();
        device.copies().copyIn(labels.address(), sentLabels, 0, (long) placed.count() * Long.BYTES);
        device.copies().record(ready);
        state = State.SEALED;
    }

    /** What the engine is asked for from now on begins when the rows are there. */
    public void beginUse() {
        check(State.SEALED);
        device.use().stepAsked();
        device.engine().await(ready);
        device.use().stepBegan();
    }

    /** What the engine was asked for so far uses the batch; when that is done, it may be filled again. */
    public void endUse() {
        check(State.SEALED);
        device.use().stepEnded();
        device.engine().record(free);
    }

    /** Rows present, once sealed. */
    public int rows() {
        check(State.SEALED);
        return placed.count();
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
     * Where a column's present rows are on the device, as they were sent: for the engine, once {@linkplain #beginUse in
     * use}. Of a ragged or sparse column the entries of all rows, one after another.
     */
    public DeviceMemory memory(int column) {
        check(State.SEALED);
        return columns.get(column).memory();
    }

    /** Where the labels of the present rows are on the device, int64. */
    public DeviceMemory labelMemory() {
        check(State.SEALED);
        return sentLabels;
    }

    /** Where the {@link #offsets} of a ragged or sparse column are on the device, int64. */
    public DeviceMemory offsetMemory(int column) {
        return ragged(column).sentOffsets();
    }

    /**
     * A column's present rows for the processor, once in use; 64-byte aligned native memory that belongs to the batch, in
     * native byte order. Bits are bytes of 0 and 1, sparse rows have all their elements. Of a ragged column the entries of
     * all rows, one after another.
     *
     * @throws IllegalStateException when the batch is in memory that the processor cannot read
     */
    public ByteBuffer column(int column) {
        check(State.SEALED);
        return columns.get(column).values();
    }

    /**
     * Where the rows of a ragged or sparse column begin, counted in entries, and behind the last where it ends; belongs to
     * the batch.
     *
     * @throws IllegalArgumentException when the column is neither
     */
    public LongBuffer offsets(int column) {
        return ragged(column).offsets();
    }

    private RaggedRows ragged(int column) {
        check(State.SEALED);
        ColumnRows rows = columns.get(column);
        if (rows instanceof RaggedRows entries) {
            return entries;
        }
        if (rows instanceof SparseRows sparse) {
            return sparse.entries();
        }
        throw new IllegalArgumentException(
                "column '" + spec.columns().get(column).name() + "' is not ragged: its rows have one length");
    }

    /** The bytes of the present rows' columns as they were sent. */
    public long sentBytes() {
        long bytes = 0;
        for (int column = 0; column < columns.size(); column++) {
            bytes += sentBytes(column);
        }
        return bytes;
    }

    /** The same of one column, with where its rows end where they vary. */
    public long sentBytes(int column) {
        check(State.SEALED);
        ColumnRows rows = columns.get(column);
        return rows instanceof DenseRows
                ? rows.sentBytes()
                : rows.sentBytes()
                        + (long) placed.count() * spec.columns().get(column).rowBytes();
    }

    /** The labels of the present rows; native memory that belongs to the batch. */
    public LongBuffer labels() {
        check(State.SEALED);
        return labels.slice(0, placed.count() * Long.BYTES).asLongBuffer();
    }

    /** The label of a present row. */
    public long label(int row) {
        checkPresent(row);
        return placed.label(row);
    }

    /** The sample index of a present row. */
    public long index(int row) {
        checkPresent(row);
        return placed.index(row);
    }

    /** The place in the run of a present row. */
    public long position(int row) {
        checkPresent(row);
        return placed.position(row);
    }

    private void checkPresent(int row) {
        check(State.SEALED);
        PlacedRows.checkRow(row, placed.count());
    }

    private void check(State expected) {
        if (state != expected) {
            throw new IllegalStateException("the batch is " + state + ", expected " + expected);
        }
    }

    /** Waits until neither copies nor the engine use the memory. */
    private void settle() {
        try (Handles both = new Handles()) {
            both.add(device.copies()::synchronize);
            both.add(device.engine()::synchronize);
        }
    }

    /**
     * Waits for all work on it and frees the memory; nothing may use the batch's buffers afterwards. Closing again does
     * nothing.
     */
    @Override
    public void close() {
        state = State.CLOSED;
        handles.close();
    }
}

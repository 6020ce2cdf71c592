package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A preallocated batch in a device's memory. The operator's thread fills it, then the trainer's thread reads it; the
 * batch is handed over through a queue, and the two threads never use it at the same time.
 *
 * <p>Between {@link #begin} and {@link #seal} a {@link BatchFilling} copies rows to their places. Sealing closes the
 * gaps that quarantined rows leave, so that the present rows lie together in order of their places. One batch serves
 * any number of steps: {@link #begin} starts anew in the same memory.
 *
 * <p><b>Order of copies and steps.</b> No thread waits for a copy. {@link #seal} records the event {@code ready};
 * {@link #beginUse} makes the engine's stream wait for it. {@link #endUse} records the event {@code free} on the
 * engine's stream, and the copies after the next {@link #begin} wait for it on their stream. Therefore rows are copied
 * into one batch while the engine works on another.
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
    private final DeviceMemory wireLabels;
    private final List<ColumnRows> columns;
    private final RowArrivals arrivals;
    private final BatchFilling filling;

    /** Passes when the copies of the sealed batch are done. */
    private final DeviceEvent ready;

    /** Passes when the engine's work on the batch is done. */
    private final DeviceEvent free;

    private State state = State.IDLE;
    private long number;
    private long step;
    private int epoch;
    private Split split = Split.TRAIN;

    /** Allocates a batch, all of whose memory is the device's. */
    DeviceBatch(Device device, BatchSpec spec, int capacity) {
        this(device, spec, capacity, column -> null);
    }

    /**
     * Allocates a batch.
     *
     * @param places returns memory for the rows of a column that does not vary, by the column's place in the spec, or
     *     null if the device allocates it. The caller owns that memory
     */
    DeviceBatch(Device device, BatchSpec spec, int capacity, IntFunction<? extends @Nullable DeviceMemory> places) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a batch needs room for at least 1 row, found " + capacity);
        }
        this.device = device;
        this.spec = spec;
        this.capacity = capacity;
        long labelBytes = (long) capacity * Long.BYTES;
        this.labels = handles.add(device.pageLocked(labelBytes, "the labels of a batch"));
        this.arrivals = new RowArrivals(capacity, labels);
        this.wireLabels = opened(() -> device.memory(labelBytes, "the labels of a batch"));
        this.columns = IntStream.range(0, spec.columns().size())
                .mapToObj(i ->
                        opened(() -> ColumnRows.allocate(device, spec.columns().get(i), capacity, places.apply(i))))
                .toList();
        this.filling = new BatchFilling(device, spec, columns, arrivals);
        this.ready = opened(device::event);
        this.free = opened(device::event);
        handles.add(this::awaitWork); // closed first
    }

    private <T extends AutoCloseable> T opened(Supplier<T> opening) {
        return handles.closeOnFailure(() -> handles.add(opening.get()));
    }

    /** Returns the columns of the batch. */
    public BatchSpec spec() {
        return spec;
    }

    /** Returns the largest number of rows that the batch can hold. */
    public int capacity() {
        return capacity;
    }

    /**
     * Returns whether the engine's pending work on this batch is done. Until then the copies of the next rows wait on
     * the device, and so do all copies that are enqueued after them, those into other batches included.
     */
    public boolean isFree() {
        return free.isDone();
    }

    /**
     * Begins to fill the batch. Its earlier contents are lost.
     *
     * @param number the batch's number in the run, as {@code BatchPlan} counts
     * @param step the training step, from 0
     * @param epoch the epoch, from 0
     * @param rows the number of rows of the batch, from 0 to the capacity
     * @throws IllegalArgumentException when {@code rows} is negative or above the capacity
     */
    public void begin(long number, long step, int epoch, Split split, int rows) {
        if (state == State.CLOSED) {
            throw new IllegalStateException("the batch is closed");
        }
        device.awaitReuse(free);
        arrivals.begin(number, rows);
        // Labels and ragged rows were copied from memory that is overwritten now. The engine has waited for those
        // copies.
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
     * Returns the access for filling the batch; it is valid until the batch is sealed.
     *
     * @throws IllegalStateException when the batch is not being filled
     */
    public BatchFilling filling() {
        check(State.FILLING);
        return filling;
    }

    /** Ends the filling, moves the present rows together in their order, and enqueues the copies that are left. */
    public void seal() {
        check(State.FILLING);
        for (ColumnRows column : columns) {
            column.seal(arrivals.present(), arrivals.expected());
        }
        arrivals.closeGaps();
        device.copies().copyIn(labels.address(), wireLabels, 0, (long) arrivals.count() * Long.BYTES);
        device.copies().record(ready);
        state = State.SEALED;
    }

    /**
     * Makes the engine's stream wait for the batch's copies. Work that is enqueued from now on can read the rows.
     */
    public void beginUse() {
        check(State.SEALED);
        device.use().stepEnqueued();
        device.engine().await(ready);
        device.use().stepBegan();
    }

    /**
     * Marks the end of the engine's work on the batch: when the work enqueued so far is done, the batch may be filled
     * again.
     *
     * @return the work since {@link #beginUse}
     */
    public EngineWork endUse() {
        check(State.SEALED);
        EngineWork work = device.use().stepEnded();
        device.engine().record(free);
        return work;
    }

    /** Returns the number of present rows of the sealed batch, a padded one included. */
    public int rows() {
        check(State.SEALED);
        return arrivals.count();
    }

    /** Returns the number of padded rows of the sealed batch: 1 if its only row is padded, otherwise 0. */
    public int paddedRows() {
        check(State.SEALED);
        return arrivals.isPadded() ? 1 : 0;
    }

    /** Returns the sample indexes of the quarantined rows, in order of their places. */
    public List<Long> quarantinedIndexes() {
        return arrivals.quarantined().stream().map(QuarantinedRow::index).toList();
    }

    /** Returns the batch's number in the run, evaluation batches included, as {@code BatchPlan} counts. */
    public long number() {
        return number;
    }

    /** Returns the training step of the batch; for an evaluation batch, the number of training steps before it. */
    public long step() {
        return step;
    }

    /** Returns the epoch, from 0. */
    public int epoch() {
        return epoch;
    }

    /** Returns whether the batch is for training or for evaluation. */
    public Split split() {
        return split;
    }

    /**
     * Returns a column's present rows on the device, in wire form. The engine may use the memory once the batch is
     * {@linkplain #beginUse in use}. A ragged or sparse column has the entries of all rows, one after another.
     */
    public DeviceMemory memory(int column) {
        check(State.SEALED);
        return columns.get(column).memory();
    }

    /** Returns the labels of the present rows on the device, int64. */
    public DeviceMemory labelMemory() {
        check(State.SEALED);
        return wireLabels;
    }

    /** Returns the {@link #offsets} of a ragged or sparse column on the device, int64. */
    public DeviceMemory offsetMemory(int column) {
        return ragged(column).wireOffsets();
    }

    /**
     * Returns a column's present rows for the CPU, once the batch is in use. The buffer is 64-byte aligned native
     * memory that belongs to the batch, in native byte order. Bits are expanded to bytes of 0 and 1, and sparse rows to
     * all their elements, if the device {@linkplain Device#expandsRows expands rows}. A ragged column has the entries of
     * all rows, one after another.
     *
     * @throws IllegalStateException when the batch is in memory that the CPU cannot read
     */
    public ByteBuffer column(int column) {
        check(State.SEALED);
        return columns.get(column).values();
    }

    /**
     * Returns the offset of each row of a ragged or sparse column and the end of the last row, counted in entries. The
     * buffer belongs to the batch.
     *
     * @throws IllegalArgumentException when the column is neither ragged nor sparse
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

    /** Returns the number of bytes of the present rows in wire form, summed over all columns. */
    public long wireBytes() {
        return IntStream.range(0, columns.size()).mapToLong(this::wireBytes).sum();
    }

    /**
     * Returns the number of bytes of one column's present rows in wire form; where lengths vary, row ends are included.
     */
    public long wireBytes(int column) {
        check(State.SEALED);
        ColumnRows rows = columns.get(column);
        return rows instanceof DenseRows
                ? rows.wireBytes()
                : rows.wireBytes()
                        + (long) arrivals.count() * spec.columns().get(column).rowBytes();
    }

    /** Returns the labels of the present rows, as native memory that belongs to the batch. */
    public LongBuffer labels() {
        check(State.SEALED);
        return labels.slice(0, arrivals.count() * Long.BYTES).asLongBuffer();
    }

    /** Returns the label of a present row. */
    public long label(int row) {
        checkPresent(row);
        return arrivals.label(row);
    }

    /** Returns the sample index of a present row. */
    public long index(int row) {
        checkPresent(row);
        return arrivals.index(row);
    }

    /** Returns the position in the run of a present row. */
    public long position(int row) {
        checkPresent(row);
        return arrivals.position(row);
    }

    private void checkPresent(int row) {
        check(State.SEALED);
        RowArrivals.checkRow(row, arrivals.count());
    }

    private void check(State expected) {
        if (state != expected) {
            throw new IllegalStateException("the batch is " + state + ", expected " + expected);
        }
    }

    /** Waits until neither copies nor the engine use the memory. */
    private void awaitWork() {
        try (Handles both = new Handles()) {
            both.add(device.copies()::synchronize);
            both.add(device.engine()::synchronize);
        }
    }

    /**
     * Waits for all work on the batch and frees its memory; nothing may use the batch's buffers afterwards. Closing
     * again does nothing.
     */
    @Override
    public void close() {
        try {
            handles.close();
        } finally {
            state = State.CLOSED; // not earlier, because pending work may read the batch
        }
    }
}

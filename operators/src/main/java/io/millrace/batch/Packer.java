package io.millrace.batch;

import io.millrace.sample.BadSample;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A packer that copies samples into the rows of a micro-batch.
 *
 * <p>The packer allocates its memory when it is created and frees it when it is closed. It lends this memory with every
 * micro-batch, and fills it again when the micro-batch is closed. The memory of ragged and sparse columns grows to the
 * size of the largest micro-batch. The packer converts elements to their wire types. Used by one thread at a time.
 */
public final class Packer implements AutoCloseable {
    private enum State {
        FILLING,
        LENT,
        CLOSED
    }

    private final BatchSpec spec;
    private final List<BatchSpec.Column> columns;
    private final RowWriter writer;
    private final BufferAllocator allocator;

    /** Buffers of micro-batches that were handed over and have come back. */
    private final ArrayDeque<RowBuffers> free = new ArrayDeque<>();

    private RowBuffers buffers;
    private final int limitBytes;
    private final int columnBytes;
    private final int rowBytes;
    private TreeMap<Integer, BadSample> badSamples = new TreeMap<>();
    private State state = State.FILLING;
    private final Filling filling;
    private @Nullable Sample measured;
    private long measuredBytes;
    private int filled;

    private int rows;
    private long bytes;

    /**
     * Creates a packer with memory for one micro-batch.
     *
     * @param allocator the allocator, which the caller closes after the packer
     * @param spec the columns of the rows
     * @param limits the limits of a micro-batch
     */
    public Packer(BufferAllocator allocator, BatchSpec spec, PackLimits limits) {
        this(allocator, spec, limits, Filling.EVERY_ROW);
    }

    /**
     * Creates a packer as {@link #Packer(BufferAllocator, BatchSpec, PackLimits)} does, with a choice of the rows that
     * are copied.
     */
    public Packer(BufferAllocator allocator, BatchSpec spec, PackLimits limits, Filling filling) {
        this.spec = spec;
        this.allocator = allocator;
        this.filling = filling;
        columns = spec.columns();
        writer = new RowWriter(columns, filling);
        limitBytes = limits.bytes();
        bytes = MicroBatchWire.overheadBytes(spec);
        columnBytes = spec.rowBytes();
        rowBytes = Math.addExact(RowBuffers.KEY_BYTES, columnBytes);
        int fitting = (limits.bytes() - MicroBatchWire.overheadBytes(spec)) / rowBytes;
        buffers = RowBuffers.allocate(allocator, spec, Math.max(1, Math.min(limits.rows(), fitting)));
    }

    /** Returns the number of rows since the last {@link #flush}. */
    public int rows() {
        return rows;
    }

    /** Returns the number of rows that fit when none is quarantined. */
    public int capacity() {
        return buffers.capacity();
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    /** Returns whether no further sample fits. */
    public boolean isFull() {
        return rows == buffers.capacity() || (rows > 0 && bytes + rowBytes > limitBytes);
    }

    /**
     * Returns whether a sample fits. An empty packer accepts any sample: a row above the limit crosses the network
     * alone.
     */
    public boolean fits(Sample sample) {
        BadSample why = sample.badSample();
        long extra = why == null ? varyingBytes(sample) : MicroBatchWire.bytes(why);
        return rows == 0 || (rows < buffers.capacity() && bytes + rowBytes + extra <= limitBytes);
    }

    /**
     * Returns the largest number of bytes that a sample has in columns whose rows vary. The number is computed once for
     * each row.
     */
    private long varyingBytes(Sample sample) {
        if (measured != sample) {
            measured = sample;
            measuredBytes = 0;
            for (int i = 0; i < columns.size(); i++) {
                String name = columns.get(i).name();
                if (buffers.varies(i) && sample.fieldNames().contains(name)) {
                    measuredBytes += writer.atMost(i, sample.field(name));
                }
            }
        }
        return measuredBytes;
    }

    /**
     * Returns an image in the memory of the next row, see {@link io.millrace.transform.StageChain#row}. When the image
     * is added to another row after all, it is copied.
     */
    @Nullable
    Field nextRow(String field, int height, int width) {
        return filling == Filling.ONCE || rows == buffers.capacity()
                ? null
                : writer.image(field, height, width, buffers, rows);
    }

    /**
     * Copies a sample into the next row and leaves the sample unchanged. A quarantined sample becomes a row without
     * columns.
     *
     * @param sample a sample with its place in the run
     * @return the number of bytes of the sample's columns on the wire, 0 for a quarantined sample
     * @throws SampleMismatchException when the field of a column is missing, or has another element type or shape; the
     *     packer stays unchanged
     * @throws BadValueException when a value does not fit the wire type of its column; the packer stays unchanged
     * @throws IllegalStateException when the sample does not fit or has no place in the run, or the last micro-batch is
     *     still open
     */
    public long add(Sample sample) {
        requireFilling();
        if (sample.position() < 0) {
            throw new IllegalStateException("sample " + sample.key() + " has no place in the run");
        }
        if (!fits(sample)) {
            throw full();
        }
        measured = null;
        BadSample why = sample.badSample();
        long sent = 0;
        if (why == null) {
            long varying = rows < filled ? keptBytes() : writer.write(sample, buffers, rows);
            filled = filling == Filling.ONCE ? Math.max(filled, rows + 1) : 0;
            sent = columnBytes + varying;
            bytes += varying;
        } else {
            buffers.leaveEmpty(rows);
            filled = Math.min(filled, rows);
            badSamples.put(rows, why);
            bytes += MicroBatchWire.bytes(why);
        }
        buffers.setKeys(rows, sample.position(), sample.index(), sample.label());
        bytes += rowBytes;
        rows++;
        return sent;
    }

    /**
     * Copies rows until the micro-batch is full.
     *
     * @param samples the samples, whose values need no conversion: all columns are dense and have the types of the fields
     * @param from the first row of the samples to copy
     * @param most the largest number of rows to copy, at least 1
     * @return the number of rows that were copied, at least 1
     * @throws SampleMismatchException when the field of a column is missing, or has another element type or shape; the
     *     packer stays unchanged
     * @throws IllegalStateException when no row fits, or the last micro-batch is still open
     */
    public int add(SampleRows samples, int from, int most) {
        requireFilling();
        long fitting = rows == 0 ? most : Math.min(most, (limitBytes - bytes) / rowBytes);
        int count = (int) Math.min(fitting, buffers.capacity() - rows);
        if (count < 1) {
            throw full();
        }
        writer.write(samples, from, count, buffers, rows);
        filled = Math.min(filled, rows);
        for (int row = 0; row < count; row++) {
            buffers.setKeys(
                    rows + row, samples.position(from + row), samples.index(from + row), samples.label(from + row));
        }
        rows += count;
        bytes += (long) count * rowBytes;
        return count;
    }

    private void requireFilling() {
        if (state != State.FILLING) {
            throw new IllegalStateException("the packer cannot add a sample: its micro-batch is " + state);
        }
    }

    private IllegalStateException full() {
        return new IllegalStateException("the micro-batch is full with " + rows + " rows: flush first");
    }

    /**
     * Lends the rows added so far. The caller closes the micro-batch before it adds further samples.
     *
     * @throws IllegalStateException when there are no rows, or the last micro-batch is still open
     */
    public MicroBatch flush() {
        if (state != State.FILLING || rows == 0) {
            throw new IllegalStateException("nothing to flush: the packer is " + state + " with " + rows + " rows");
        }
        state = State.LENT;
        MicroBatch batch = new MicroBatch(buffers, rows, badSamples, this::takeBack);
        begin();
        return batch;
    }

    private void begin() {
        rows = 0;
        bytes = MicroBatchWire.overheadBytes(spec);
        badSamples = new TreeMap<>();
    }

    /**
     * Hands over the rows added so far. The receiver closes the micro-batch at any time, on the packer's thread, and its
     * memory then serves a later micro-batch. Meanwhile, the packer fills other memory.
     *
     * @throws IllegalStateException when there are no rows, or the last micro-batch is lent
     */
    public MicroBatch handOver() {
        if (state != State.FILLING || rows == 0) {
            throw new IllegalStateException("nothing to hand over: the packer is " + state + " with " + rows + " rows");
        }
        RowBuffers full = buffers;
        RowBuffers next = free.poll();
        buffers = next == null ? RowBuffers.allocate(allocator, spec, full.capacity()) : next;
        MicroBatch batch = new MicroBatch(full, rows, badSamples, () -> takeBack(full));
        filled = 0; // the other memory has other rows
        begin();
        return batch;
    }

    private void takeBack(RowBuffers used) {
        if (state == State.CLOSED) {
            used.close();
        } else {
            free.add(used);
        }
    }

    /**
     * Frees the memory and drops rows that were not flushed. Closing again does nothing.
     *
     * @throws IllegalStateException while a micro-batch is lent
     */
    @Override
    public void close() {
        switch (state) {
            case FILLING -> {
                state = State.CLOSED;
                buffers.close();
                free.forEach(RowBuffers::close);
                free.clear();
            }
            case LENT -> throw new IllegalStateException("close the micro-batch before its packer");
            case CLOSED -> {}
        }
    }

    private void takeBack() {
        state = State.FILLING;
    }

    /**
     * Returns the number of bytes that the next row still has from an earlier micro-batch in columns whose rows vary.
     */
    private long keptBytes() {
        long kept = 0;
        for (int i = 0; i < columns.size(); i++) {
            kept += buffers.varies(i) ? buffers.bytes(i, rows) : 0;
        }
        return kept;
    }
}

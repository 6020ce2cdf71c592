package io.millrace.batch;

import io.millrace.sample.Failure;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.TreeMap;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Copies samples into the rows of a micro-batch.
 *
 * <p>The memory is taken from the allocator once, when the packer is made, and given back when it is closed; it is lent
 * out with every micro-batch and filled again when that is closed. Used by one thread at a time.
 */
public final class Packer implements AutoCloseable {
    private enum State {
        FILLING,
        LENT,
        CLOSED
    }

    private final List<BatchSpec.Column> columns;
    private final RowBuffers buffers;
    private final int limitBytes;
    private final int rowBytes;
    private TreeMap<Integer, Failure> failures = new TreeMap<>();
    private State state = State.FILLING;
    private int rows;
    private long bytes = MicroBatchWire.HEADER_BYTES;

    /**
     * Takes memory for one micro-batch.
     *
     * @param allocator is not owned: the caller closes it after the packer
     */
    public Packer(BufferAllocator allocator, BatchSpec spec, PackLimits limits) {
        columns = spec.columns();
        limitBytes = limits.bytes();
        rowBytes = Math.addExact(RowBuffers.KEY_BYTES, spec.rowBytes());
        int fitting = (limits.bytes() - MicroBatchWire.HEADER_BYTES) / rowBytes;
        buffers = RowBuffers.allocate(allocator, spec, Math.max(1, Math.min(limits.rows(), fitting)));
    }

    /** Rows added since the last {@link #flush}. */
    public int rows() {
        return rows;
    }

    /** The rows that fit when none is quarantined. */
    public int capacity() {
        return buffers.capacity();
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    /** Whether no further sample fits. */
    public boolean isFull() {
        return rows == buffers.capacity() || (rows > 0 && bytes + rowBytes > limitBytes);
    }

    /** Whether this sample fits. An empty packer takes any: a row larger than the limit travels alone. */
    public boolean fits(Sample sample) {
        Failure why = sample.failure();
        int extra = why == null ? 0 : MicroBatchWire.bytes(why);
        return rows == 0 || (rows < buffers.capacity() && bytes + rowBytes + extra <= limitBytes);
    }

    /**
     * Copies a sample into the next row; the sample is left as it is and not kept. A quarantined one takes a row without
     * columns.
     *
     * @throws SampleMismatchException when a column's field is missing, or of another element type or shape; the packer
     *     is as before
     * @throws IllegalStateException when the sample does not fit or has no place in the run, or the last micro-batch is not closed yet
     */
    public void add(Sample sample) {
        if (state != State.FILLING) {
            throw new IllegalStateException("a packer whose micro-batch is " + state + " takes no samples");
        }
        if (sample.position() < 0) {
            throw new IllegalStateException("sample " + sample.key() + " has no place in the run");
        }
        if (!fits(sample)) {
            throw new IllegalStateException("the micro-batch is full with " + rows + " rows: flush first");
        }
        Failure why = sample.failure();
        if (why == null) {
            copyColumns(sample);
        } else {
            // What travels in a row without columns is defined, not left over from earlier rows.
            for (int i = 0; i < columns.size(); i++) {
                buffers.column(i).setZero((long) rows * buffers.rowBytes(i), buffers.rowBytes(i));
            }
            failures.put(rows, why);
            bytes += MicroBatchWire.bytes(why);
        }
        long at = (long) rows * Long.BYTES;
        buffers.positions().setLong(at, sample.position());
        buffers.indexes().setLong(at, sample.index());
        buffers.labels().setLong(at, sample.label());
        bytes += rowBytes;
        rows++;
    }

    /**
     * Lends out the rows added so far; the caller closes the micro-batch before adding further samples.
     *
     * @throws IllegalStateException when there are none, or the last micro-batch is not closed yet
     */
    public MicroBatch flush() {
        if (state != State.FILLING || rows == 0) {
            throw new IllegalStateException("nothing to flush: the packer is " + state + " with " + rows + " rows");
        }
        state = State.LENT;
        MicroBatch batch = new MicroBatch(buffers, rows, failures, this::takeBack);
        rows = 0;
        bytes = MicroBatchWire.HEADER_BYTES;
        failures = new TreeMap<>();
        return batch;
    }

    /**
     * Gives the memory back; rows that were not flushed are dropped. Closing again does nothing.
     *
     * @throws IllegalStateException while a micro-batch is lent out
     */
    @Override
    public void close() {
        switch (state) {
            case FILLING -> {
                state = State.CLOSED;
                buffers.close();
            }
            case LENT -> throw new IllegalStateException("close the micro-batch before its packer");
            case CLOSED -> {}
        }
    }

    private void takeBack() {
        state = State.FILLING;
    }

    private void copyColumns(Sample sample) {
        for (int i = 0; i < columns.size(); i++) {
            BatchSpec.Column column = columns.get(i);
            if (!sample.fieldNames().contains(column.name())) {
                throw SampleMismatchException.missing(sample, column);
            }
            Field field = sample.field(column.name());
            if (field.dtype() != column.dtype() || !sameShape(column.shape(), field.shape())) {
                throw SampleMismatchException.different(sample, column, field);
            }
            ArrowBuf target = buffers.column(i);
            target.setBytes((long) rows * buffers.rowBytes(i), field.data(), 0, buffers.rowBytes(i));
        }
    }

    private static boolean sameShape(List<Integer> expected, int[] found) {
        if (expected.size() != found.length) {
            return false;
        }
        for (int i = 0; i < found.length; i++) {
            if (expected.get(i) != found[i]) {
                return false;
            }
        }
        return true;
    }
}

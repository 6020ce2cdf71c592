package io.millrace.batch;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.util.AutoCloseables;

/**
 * The memory of so many rows, one Arrow buffer per column, laid out as Arrow's vectors lay out their data: row after row,
 * little-endian, without gaps. A column whose rows vary has its offsets there, one more than rows and the first 0, and a second
 * buffer with its values, which grows. Not cleared when allocated. Owned by one thread at a time.
 */
final class RowBuffers implements AutoCloseable {
    /** Bytes that a row has beside its columns: position, index, label. */
    static final int KEY_BYTES = 3 * Long.BYTES;

    /** Bytes of an offset: a micro-batch is limited to some megabytes, or one row of at most 2 GiB. */
    static final int OFFSET_BYTES = Integer.BYTES;

    private static final int KEYS = 3;
    private static final int FIRST_VALUE_BYTES = 4096;

    private final BufferAllocator allocator;
    private final BatchSpec spec;
    private final int capacity;
    private final List<ArrowBuf> buffers;
    private final ArrowBuf[] values;
    private final int[] rowBytes;
    private final int[] entryBytes;

    private RowBuffers(
            BufferAllocator allocator, BatchSpec spec, int capacity, List<ArrowBuf> buffers, int[] rowBytes) {
        this.allocator = allocator;
        this.spec = spec;
        this.capacity = capacity;
        this.buffers = List.copyOf(buffers);
        this.rowBytes = rowBytes;
        this.values = new ArrowBuf[spec.columns().size()];
        this.entryBytes = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            BatchSpec.Column column = spec.columns().get(i);
            values[i] = allocator.getEmpty();
            if (column.varies()) {
                entryBytes[i] = column.entryBytes();
                offsets(i).setInt(0, 0);
            }
        }
    }

    /**
     * Takes memory for {@code capacity} rows from an allocator; all of it, or none when that fails. The entries
     * of columns whose rows vary have none yet.
     *
     * @throws org.apache.arrow.memory.OutOfMemoryException when the allocator's limit or the machine's memory is reached
     */
    static RowBuffers allocate(BufferAllocator allocator, BatchSpec spec, int capacity) {
        int[] rowBytes = new int[KEYS + spec.columns().size()];
        for (int i = 0; i < rowBytes.length; i++) {
            rowBytes[i] = i < KEYS ? Long.BYTES : spec.columns().get(i - KEYS).rowBytes();
        }
        List<ArrowBuf> buffers = new ArrayList<>(rowBytes.length);
        boolean whole = false;
        try {
            for (int i = 0; i < rowBytes.length; i++) {
                boolean offsets = i >= KEYS && spec.columns().get(i - KEYS).varies();
                buffers.add(allocator.buffer(Math.multiplyExact(capacity + (offsets ? 1L : 0L), rowBytes[i])));
            }
            RowBuffers made = new RowBuffers(allocator, spec, capacity, buffers, rowBytes);
            whole = true;
            return made;
        } finally {
            if (!whole) {
                AutoCloseables.closeNoChecked(() -> AutoCloseables.close(buffers));
            }
        }
    }

    BatchSpec spec() {
        return spec;
    }

    int capacity() {
        return capacity;
    }

    ArrowBuf positions() {
        return buffers.get(0);
    }

    ArrowBuf indexes() {
        return buffers.get(1);
    }

    ArrowBuf labels() {
        return buffers.get(2);
    }

    /** The rows of a column whose rows do not vary. */
    ArrowBuf column(int column) {
        return buffers.get(KEYS + column);
    }

    /** Bytes of one row in the column; of one whose rows vary, of an offset. */
    int rowBytes(int column) {
        return rowBytes[KEYS + column];
    }

    boolean varies(int column) {
        return entryBytes[column] > 0;
    }

    /** Where the rows of a column whose rows vary begin and end, counted in entries. */
    ArrowBuf offsets(int column) {
        return buffers.get(KEYS + column);
    }

    /** The first entry of a row of a column whose rows vary; of the row behind the last, the number of entries. */
    int offset(int column, int row) {
        return offsets(column).getInt((long) row * OFFSET_BYTES);
    }

    /** The entries of a column whose rows vary; another buffer after {@link #reserve}. */
    ArrowBuf values(int column) {
        return values[column];
    }

    /** Bytes of the entries of that many rows. */
    long valueBytes(int column, int rows) {
        return (long) offset(column, rows) * entryBytes[column];
    }

    /**
     * Makes room for the entries of a column whose rows vary, keeping those that are there.
     *
     * @param used bytes that are kept
     * @param needed bytes in all
     */
    void reserve(int column, long used, long needed) {
        if (values[column].capacity() >= needed) {
            return;
        }
        ArrowBuf larger =
                allocator.buffer(Math.max(needed, Math.max(FIRST_VALUE_BYTES, 2 * values[column].capacity())));
        if (used > 0) {
            larger.setBytes(0, values[column], 0, used);
        }
        values[column].close();
        values[column] = larger;
    }

    /** Where a row's bytes begin. */
    long address(int column, int row) {
        return varies(column)
                ? values[column].memoryAddress() + (long) offset(column, row) * entryBytes[column]
                : column(column).memoryAddress() + (long) row * rowBytes(column);
    }

    /** How many bytes a row has. */
    int bytes(int column, int row) {
        return varies(column) ? (offset(column, row + 1) - offset(column, row)) * entryBytes[column] : rowBytes(column);
    }

    /** States whose row it is. */
    void setKeys(int row, long position, long index, long label) {
        long at = (long) row * Long.BYTES;
        positions().setLong(at, position);
        indexes().setLong(at, index);
        labels().setLong(at, label);
    }

    /** States that a row of a column whose rows vary ends before that entry. */
    void endRow(int column, int row, int end) {
        offsets(column).setInt((row + 1L) * OFFSET_BYTES, end);
    }

    /** What travels in a row without columns is defined, not left over from earlier rows. */
    void leaveEmpty(int row) {
        for (int i = 0; i < values.length; i++) {
            if (varies(i)) {
                endRow(i, row, offset(i, row));
            } else {
                column(i).setZero((long) row * rowBytes(i), rowBytes(i));
            }
        }
    }

    /** All buffers of rows, in the order in which they are sent: keys, then columns. */
    List<ArrowBuf> all() {
        return buffers;
    }

    /** Bytes that {@code rows} rows take in the buffer of that number among {@link #all}. */
    long bytesAt(int buffer, int rows) {
        boolean offsets = buffer >= KEYS && varies(buffer - KEYS);
        return (rows + (offsets ? 1L : 0L)) * rowBytes[buffer];
    }

    /** The column whose entries follow on the buffer of that number, or -1. */
    int varyingAt(int buffer) {
        return buffer >= KEYS && varies(buffer - KEYS) ? buffer - KEYS : -1;
    }

    @Override
    public void close() {
        buffers.forEach(ArrowBuf::close);
        for (ArrowBuf buffer : values) {
            buffer.close();
        }
    }
}

package io.millrace.batch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.util.AutoCloseables;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a number of rows: one Arrow buffer per column in the layout of Arrow's vectors, row after row,
 * little-endian, without gaps. A column whose rows vary has its offsets in this buffer, one more than rows and the
 * first 0, and its values in a second buffer, which grows. The memory is not cleared when it is allocated. Owned by one
 * thread at a time.
 *
 * <p>Tested by {@code PackerTest}.
 */
final class RowBuffers implements AutoCloseable {
    /** The number of bytes of a row without its columns: position, index and label. */
    static final int KEY_BYTES = 3 * Long.BYTES;

    /**
     * The number of bytes of an offset. 32 bits suffice, because a micro-batch has some megabytes, or one row of at
     * most 2 GiB.
     */
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

    /**
     * For each column, the rows that lie elsewhere; null until there is one. The references keep a mapped file in memory.
     */
    private final @Nullable ByteBuffer[] @Nullable [] stored;

    private RowBuffers(
            BufferAllocator allocator, BatchSpec spec, int capacity, List<ArrowBuf> buffers, int[] rowBytes) {
        this.allocator = allocator;
        this.spec = spec;
        this.capacity = capacity;
        this.buffers = List.copyOf(buffers);
        this.rowBytes = rowBytes;
        this.values = new ArrowBuf[spec.columns().size()];
        this.entryBytes = new int[values.length];
        this.stored = new ByteBuffer[values.length][];
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
     * Allocates memory for {@code capacity} rows; when that fails, nothing stays allocated. Columns whose rows vary
     * have no entries yet.
     *
     * @throws org.apache.arrow.memory.OutOfMemoryException when the allocator's limit or the machine's memory is
     *     reached
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

    /** Returns the buffer of a column whose rows do not vary. */
    ArrowBuf column(int column) {
        return buffers.get(KEYS + column);
    }

    /** Returns the number of bytes of one row in a column, or of one offset if the rows of the column vary. */
    int rowBytes(int column) {
        return rowBytes[KEYS + column];
    }

    boolean varies(int column) {
        return entryBytes[column] > 0;
    }

    /** Returns the offsets of a column whose rows vary, counted in entries. */
    ArrowBuf offsets(int column) {
        return buffers.get(KEYS + column);
    }

    /**
     * Returns the number of the first entry of a row, in a column whose rows vary. For the row after the last one, it
     * is the number of entries.
     */
    int offset(int column, int row) {
        return offsets(column).getInt((long) row * OFFSET_BYTES);
    }

    /** Returns the entries of a column whose rows vary. {@link #reserve} may replace this buffer. */
    ArrowBuf values(int column) {
        return values[column];
    }

    /** Returns the number of bytes of the entries of the first {@code rows} rows. */
    long valueBytes(int column, int rows) {
        return (long) offset(column, rows) * entryBytes[column];
    }

    /**
     * Makes room for the entries of a column whose rows vary, and keeps the existing ones.
     *
     * @param column the number of the column
     * @param used the number of bytes that are kept
     * @param needed the number of bytes of the larger buffer
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

    /** Refers to the values of a row where they lie; the row's own memory is not used. */
    void refer(int column, int row, ByteBuffer to) {
        @Nullable ByteBuffer[] rows = stored[column];
        if (rows == null) {
            rows = new ByteBuffer[capacity];
            stored[column] = rows;
        }
        rows[row] = to;
    }

    /** Uses the row's own memory again. */
    void own(int column, int row) {
        @Nullable ByteBuffer[] rows = stored[column];
        if (rows != null) {
            rows[row] = null;
        }
    }

    /** Returns the buffer that a row refers to; null for a row in its own memory. */
    @Nullable
    ByteBuffer referred(int column, int row) {
        @Nullable ByteBuffer[] rows = stored[column];
        return rows == null ? null : rows[row];
    }

    /** Returns whether one of the first {@code count} rows refers to a buffer. */
    boolean refers(int column, int count) {
        for (int row = 0; row < count && stored[column] != null; row++) {
            if (referred(column, row) != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of rows, from {@code row} on, that lie one after another in memory; at most {@code most}. */
    int adjacent(int column, int row, int most) {
        if (stored[column] == null) {
            return most;
        }
        int count = 1;
        long end = address(column, row) + rowBytes(column);
        while (count < most && address(column, row + count) == end) {
            end += rowBytes(column);
            count++;
        }
        return count;
    }

    /** Returns the address of a row. */
    long address(int column, int row) {
        ByteBuffer elsewhere = referred(column, row);
        if (elsewhere != null) {
            return MemoryUtil.getByteBufferAddress(elsewhere);
        }
        return varies(column)
                ? values[column].memoryAddress() + (long) offset(column, row) * entryBytes[column]
                : column(column).memoryAddress() + (long) row * rowBytes(column);
    }

    /** Returns the number of bytes of a row. */
    int bytes(int column, int row) {
        return varies(column) ? (offset(column, row + 1) - offset(column, row)) * entryBytes[column] : rowBytes(column);
    }

    /** Writes the position, the index and the label of a row. */
    void setKeys(int row, long position, long index, long label) {
        long at = (long) row * Long.BYTES;
        positions().setLong(at, position);
        indexes().setLong(at, index);
        labels().setLong(at, label);
    }

    /**
     * Writes the end of a row, in a column whose rows vary.
     *
     * @param end the number of the entry after the row
     */
    void endRow(int column, int row, int end) {
        offsets(column).setInt((row + 1L) * OFFSET_BYTES, end);
    }

    /** Clears the columns of a quarantined row, so that no values of earlier rows cross the network. */
    void leaveEmpty(int row) {
        for (int i = 0; i < values.length; i++) {
            if (varies(i)) {
                endRow(i, row, offset(i, row));
            } else {
                own(i, row);
                column(i).setZero((long) row * rowBytes(i), rowBytes(i));
            }
        }
    }

    /** Returns all buffers of rows in their order on the wire: position, index and label, then the columns. */
    List<ArrowBuf> all() {
        return buffers;
    }

    /**
     * Returns the number of bytes of {@code rows} rows in a buffer.
     *
     * @param buffer the number of the buffer among {@link #all}
     */
    long bytesAt(int buffer, int rows) {
        boolean offsets = buffer >= KEYS && varies(buffer - KEYS);
        return (rows + (offsets ? 1L : 0L)) * rowBytes[buffer];
    }

    /** Returns the column whose rows a buffer holds, or -1 for a buffer of keys. */
    static int columnAt(int buffer) {
        return buffer < KEYS ? -1 : buffer - KEYS;
    }

    /** Returns the column whose entries follow a buffer on the wire, or -1. */
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

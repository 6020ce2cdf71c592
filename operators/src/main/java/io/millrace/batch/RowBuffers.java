package io.millrace.batch;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.util.AutoCloseables;

/**
 * The memory of so many rows, one Arrow buffer per column, laid out as Arrow's vectors lay out their data: row after row,
 * little-endian, without gaps. Not cleared when allocated. Owned by one thread at a time.
 */
final class RowBuffers implements AutoCloseable {
    /** Bytes that a row has beside its columns: position, index, label. */
    static final int KEY_BYTES = 3 * Long.BYTES;

    private static final int KEYS = 3;

    private final BufferAllocator allocator;
    private final BatchSpec spec;
    private final int capacity;
    private final List<ArrowBuf> buffers;
    private final int[] rowBytes;

    private RowBuffers(
            BufferAllocator allocator, BatchSpec spec, int capacity, List<ArrowBuf> buffers, int[] rowBytes) {
        this.allocator = allocator;
        this.spec = spec;
        this.capacity = capacity;
        this.buffers = List.copyOf(buffers);
        this.rowBytes = rowBytes;
    }

    /**
     * Takes memory for {@code capacity} rows from an allocator; all of it, or none when that fails.
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
            for (int bytes : rowBytes) {
                buffers.add(allocator.buffer(Math.multiplyExact((long) capacity, bytes)));
            }
            whole = true;
            return new RowBuffers(allocator, spec, capacity, buffers, rowBytes);
        } finally {
            if (!whole) {
                AutoCloseables.closeNoChecked(() -> AutoCloseables.close(buffers));
            }
        }
    }

    BufferAllocator allocator() {
        return allocator;
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

    ArrowBuf column(int column) {
        return buffers.get(KEYS + column);
    }

    /** Bytes of one row in the column. */
    int rowBytes(int column) {
        return rowBytes[KEYS + column];
    }

    /** All buffers, in the order in which they are sent: keys, then columns. */
    List<ArrowBuf> all() {
        return buffers;
    }

    /** Bytes of one row in the buffer of that number among {@link #all}. */
    int bytesAt(int buffer) {
        return rowBytes[buffer];
    }

    @Override
    public void close() {
        buffers.forEach(ArrowBuf::close);
    }
}

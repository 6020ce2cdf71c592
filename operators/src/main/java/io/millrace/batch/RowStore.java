package io.millrace.batch;

import io.millrace.sample.BadSample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.jspecify.annotations.Nullable;

/**
 * A store of single rows as bytes, in any order, in the form of micro-batches on the wire. The store and its readers
 * share no memory. Used by one thread at a time.
 */
public final class RowStore implements AutoCloseable {
    /** A row that arrived in a micro-batch and lies in memory of the receiver. */
    public interface Row {
        long position();

        long index();

        long label();

        /** Returns the bad sample of a row without columns; null for a good one. */
        @Nullable
        BadSample badSample();

        /** Returns the number of bytes of the row in a column on the wire. */
        int bytes(int column);

        /** Copies the bytes of the row in a column into native memory. */
        void copyTo(int column, long address);
    }

    /** The space for the header and some offsets. The array grows when this space does not suffice. */
    private static final int SPARE_BYTES = 4096;

    private final BatchSpec spec;
    private final RowBuffers buffers;
    private final int limitBytes;
    private final List<byte[]> stored = new ArrayList<>();
    private TreeMap<Integer, BadSample> badSamples = new TreeMap<>();
    private int rows;
    private long bytes;

    /**
     * Creates an empty store. Its pieces are limited like micro-batches; a row above the limit gets a piece of its own.
     */
    public RowStore(BatchSpec spec, PackLimits limits) {
        this.spec = spec;
        this.limitBytes = limits.bytes();
        int rowBytes = Math.addExact(RowBuffers.KEY_BYTES, spec.rowBytes());
        int capacity = Math.max(1, Math.min(limits.rows(), limitBytes / rowBytes));
        this.buffers = RowBuffers.allocate(MicroBatchMemory.allocator(), spec, capacity);
    }

    /** Copies a row. */
    public void add(Row row) throws IOException {
        BadSample why = row.badSample();
        if (why == null) {
            copyColumns(row);
        } else {
            buffers.leaveEmpty(rows);
            badSamples.put(rows, why);
            bytes += MicroBatchWire.bytes(why);
        }
        buffers.setKeys(rows, row.position(), row.index(), row.label());
        bytes += RowBuffers.KEY_BYTES;
        rows++;
        if (rows == buffers.capacity() || bytes >= limitBytes) {
            endPiece();
        }
    }

    private void copyColumns(Row row) {
        for (int i = 0; i < spec.columns().size(); i++) {
            int length = row.bytes(i);
            if (buffers.varies(i)) {
                long used = buffers.valueBytes(i, rows);
                buffers.reserve(i, used, used + length);
                int entries = length / spec.columns().get(i).entryBytes();
                buffers.endRow(i, rows, buffers.offset(i, rows) + entries);
            }
            if (length > 0) {
                row.copyTo(i, buffers.address(i, rows));
            }
            bytes += length;
        }
    }

    private void endPiece() throws IOException {
        // These buffers are not lent, so there is nothing to release.
        try (MicroBatch batch = new MicroBatch(buffers, rows, badSamples, () -> {})) {
            DataOutputSerializer out = new DataOutputSerializer((int) Math.min(bytes, limitBytes) + SPARE_BYTES);
            new MicroBatchWire(spec).write(batch, out);
            stored.add(out.getCopyOfBuffer());
        }
        badSamples = new TreeMap<>();
        rows = 0;
        bytes = 0;
    }

    /** Returns all rows so far, in pieces. Rows that are added later are in further pieces. */
    public List<byte[]> pieces() throws IOException {
        if (rows > 0) {
            endPiece();
        }
        return List.copyOf(stored);
    }

    /**
     * Reads a piece into memory of {@link MicroBatchMemory}. The caller closes the result.
     *
     * @throws IOException when the piece has other columns or another version, or is damaged
     */
    public static MicroBatch read(BatchSpec spec, byte[] piece) throws IOException {
        return new MicroBatchWire(spec).read(new DataInputDeserializer(piece), MicroBatchMemory.arriving());
    }

    /** Frees the memory. The pieces stay valid. */
    @Override
    public void close() {
        buffers.close();
    }
}

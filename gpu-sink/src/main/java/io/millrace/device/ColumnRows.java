package io.millrace.device;

import io.millrace.batch.BatchSpec;
import java.nio.ByteBuffer;

/**
 * The rows of one column of a {@link DeviceBatch}, which owns it and keeps to the order of calls. They come to the device
 * as they were sent, on its stream of copies.
 */
sealed interface ColumnRows extends AutoCloseable permits DenseRows, RaggedRows, SparseRows {
    /** Memory for up to {@code capacity} rows; the caller closes. */
    static ColumnRows allocate(Device device, BatchSpec.Column column, int capacity) {
        String what = "column '" + column.name() + "' of a batch of " + capacity + " rows";
        return switch (column.form()) {
            case DENSE, BITS -> new DenseRows(device, what, column, capacity);
            case RAGGED -> new RaggedRows(device, what, column.entryBytes(), capacity);
            case SPARSE -> new SparseRows(device, what, column, capacity);
        };
    }

    /** Forgets all rows. */
    void begin();

    /** Takes a row of so many bytes, as it was sent, from memory of this process; that may be read until the batch is ready. */
    void put(int row, long address, int bytes);

    /** How many bytes a row that was put has as it was sent; before sealing. */
    int bytes(int row);

    /** Copies these into memory of this process; before sealing, with no copies under way. */
    void copyTo(int row, long address);

    /** Puts the rows that are present, of those from 0 to {@code expected - 1}, together in their order. */
    void seal(boolean[] present, int expected);

    /** Bytes of the present rows as they were sent, once sealed; of ragged and sparse ones without their ends. */
    long wireBytes();

    /** Where the rows are on the device, once sealed. */
    DeviceMemory memory();

    /** The present rows for the processor, once they are ready; bits as bytes of 0 and 1, sparse rows with all elements. */
    ByteBuffer values();

    @Override
    void close();
}

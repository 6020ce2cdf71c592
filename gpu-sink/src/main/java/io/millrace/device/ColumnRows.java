package io.millrace.device;

import io.millrace.batch.BatchSpec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one column of a {@link DeviceBatch}, which owns them and ensures the order of calls. They are copied to
 * the device in wire form, on its stream of copies.
 */
sealed interface ColumnRows extends AutoCloseable permits DenseRows, RaggedRows, SparseRows {
    /**
     * Allocates memory for up to {@code capacity} rows; the caller closes the result.
     *
     * @param place memory for the rows of a column that does not vary, which the caller owns; null if the device
     *     allocates it
     */
    static ColumnRows allocate(Device device, BatchSpec.Column column, int capacity, @Nullable DeviceMemory place) {
        String what = "column '" + column.name() + "' of a batch of " + capacity + " rows";
        return switch (column.form()) {
            case DENSE, BITS -> new DenseRows(device, what, column, capacity, place);
            case RAGGED -> new RaggedRows(device, what, column.entryBytes(), capacity);
            case SPARSE -> new SparseRows(device, what, column, capacity);
        };
    }

    /** Removes all rows, so that a new batch can be filled. */
    void begin();

    /** Puts a row in wire form, from memory of this process; that memory may be read until the batch is ready. */
    void put(int row, long address, int bytes);

    /** Returns the length in bytes of a row that was put, in wire form; to be called before sealing. */
    int bytes(int row);

    /**
     * Enqueues the copies that calls of {@link #copyTo} need for the present rows among the first {@code expected}; to be called before
     * sealing.
     */
    default void fetch(boolean[] present, int expected) {}

    /** Copies a fetched row to memory of this process; to be called before sealing, with no copies pending. */
    void copyTo(int row, long address);

    /** Moves the present rows among the first {@code expected} rows together, in their order. */
    void seal(boolean[] present, int expected);

    /** Returns the bytes of the present rows in wire form, once sealed; ragged and sparse rows without their ends. */
    long wireBytes();

    /** Returns the memory of the rows on the device, once sealed. */
    DeviceMemory memory();

    /**
     * Returns the present rows for the CPU, once they are ready. If the device {@linkplain Device#expandsRows expands
     * rows}, bits are bytes of 0 and 1, and sparse rows have all elements.
     */
    ByteBuffer values();

    @Override
    void close();
}

package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import java.nio.ByteBuffer;

/** The rows of one column of a {@link DeviceBatch}, which owns it and keeps to the order of calls. */
sealed interface ColumnRows extends AutoCloseable permits DenseRows, RaggedRows {
    /** Memory for up to {@code capacity} rows; the caller closes. */
    static ColumnRows allocate(BatchSpec.Column column, int capacity) {
        String what = "column '" + column.name() + "' of a batch of " + capacity + " rows";
        return column.form() == Form.RAGGED
                ? new RaggedRows(what, column.elementBytes(), capacity)
                : new DenseRows(what, column, capacity);
    }

    /** Forgets all rows. */
    void begin();

    /** Copies a row of so many bytes, as it was sent, from native memory. */
    void put(int row, long address, int bytes);

    /** How many bytes a row that was put has as it was sent; before sealing. */
    int bytes(int row);

    /** Copies these into native memory; before sealing. */
    void copyTo(int row, long address);

    /** Puts the rows that are present, of those from 0 to {@code expected - 1}, together in their order. */
    void seal(boolean[] present, int expected);

    /** The present rows, once sealed. */
    ByteBuffer values();

    @Override
    void close();
}

package io.millrace.sink.figures;

import io.millrace.device.DeviceBatch;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows and bytes of each column that reached a trainer.
 *
 * @param rows the number of rows, without quarantined rows
 * @param bytes the bytes of these rows in wire form, by column
 */
public record ColumnBytes(long rows, List<Long> bytes) implements Serializable {
    /** Empty counts, for no rows or for rows that were not counted. */
    public static final ColumnBytes NONE = new ColumnBytes(0, List.of());

    public ColumnBytes {
        bytes = List.copyOf(bytes);
    }

    /** Returns the sum of these counts and other counts of the same columns. */
    ColumnBytes plus(ColumnBytes others) {
        if (bytes.isEmpty() || others.bytes.isEmpty()) {
            return bytes.isEmpty() ? others : this;
        }
        List<Long> sums = new ArrayList<>();
        for (int column = 0; column < bytes.size(); column++) {
            sums.add(bytes.get(column) + others.bytes.get(column));
        }
        return new ColumnBytes(rows + others.rows, sums);
    }

    /** Returns the counts of a sealed batch. */
    static ColumnBytes of(DeviceBatch batch) {
        List<Long> bytes = new ArrayList<>();
        for (int column = 0; column < batch.spec().columns().size(); column++) {
            bytes.add(batch.wireBytes(column));
        }
        return new ColumnBytes(batch.rows(), bytes);
    }
}

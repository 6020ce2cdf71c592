package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * What reached a trainer of each column.
 *
 * @param rows how many, quarantined ones not counted
 * @param bytes of them by column, as they travelled
 */
public record ColumnBytes(long rows, List<Long> bytes) implements Serializable {
    /** Nothing arrived, or nobody counted. */
    public static final ColumnBytes NONE = new ColumnBytes(0, List.of());

    public ColumnBytes {
        bytes = List.copyOf(bytes);
    }

    /** These and those of the same columns. */
    ColumnBytes and(ColumnBytes others) {
        if (bytes.isEmpty() || others.bytes.isEmpty()) {
            return bytes.isEmpty() ? others : this;
        }
        List<Long> sums = new ArrayList<>();
        for (int column = 0; column < bytes.size(); column++) {
            sums.add(bytes.get(column) + others.bytes.get(column));
        }
        return new ColumnBytes(rows + others.rows, sums);
    }

    /** Those of a sealed batch. */
    static ColumnBytes of(DeviceBatch batch) {
        List<Long> bytes = new ArrayList<>();
        for (int column = 0; column < batch.spec().columns().size(); column++) {
            bytes.add(batch.wireBytes(column));
        }
        return new ColumnBytes(batch.rows(), bytes);
    }
}

package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/**
 * The conversion of a column's rows to floats on the host, followed by the device's transforms of the floats. Belongs to
 * one thread.
 */
final class FloatRows {
    /**
     * The number of floats that are converted and transformed at a time. Their 1 MB stays in a core's cache from pass
     * to pass.
     */
    private static final int PART_FLOATS = 1 << 18;

    private final BatchSpec.Column column;
    private final int rowFloats;
    private final int partRows;
    private final FloatConversion first;
    private final List<DeviceTransform> left;

    /**
     * Prepares for a column.
     *
     * @param column a column that is not ragged
     * @param changes the changes of its rows
     * @param engine the owner of the constants. It is called only if the engine computes a part of the floats
     */
    FloatRows(BatchSpec.Column column, List<FloatChange> changes, Supplier<PtNDManager> engine) {
        this.column = column;
        this.rowFloats = column.elements();
        this.partRows = Math.max(1, PART_FLOATS / Math.max(1, rowFloats));
        this.first = FloatConversion.of(column, changes);
        this.left = first.left().stream().map(change -> change.on(engine.get())).toList();
    }

    /** Returns whether the engine computes a part of the floats of a column. */
    static boolean needEngine(BatchSpec.Column column, List<FloatChange> changes) {
        FloatConversion first = FloatConversion.of(column, changes);
        return first.pixels() == null || !first.left().isEmpty();
    }

    /** Returns the number of floats of a row. */
    int rowFloats() {
        return rowFloats;
    }

    /** Returns the number of rows that should be converted at a time, at least 1. */
    int partRows() {
        return partRows;
    }

    /**
     * Converts and transforms some of the rows.
     *
     * @param rows all rows, densely in native memory
     * @param from the first row
     * @param target native memory for the floats of exactly {@code count} rows
     * @param engine the owner of the arrays of this call. It is called only if the engine computes a part of the floats
     */
    void fill(ByteBuffer rows, int from, int count, ByteBuffer target, Supplier<PtNDManager> engine) {
        int rowBytes = column.elementBytes();
        ByteBuffer bytes = rows.slice(from * rowBytes, count * rowBytes);
        boolean converted = first.convert(bytes, target);
        if (converted && left.isEmpty()) {
            return;
        }
        PtNDManager manager = engine.get();
        try (PtNDArray part = manager.create(target, ColumnNumbers.batch(count, column.shape()), DataType.FLOAT32)) {
            if (!converted) {
                ColumnNumbers.toFloats(bytes, column.dtype(), part, target, manager);
            }
            for (DeviceTransform transform : left) {
                transform.apply(part);
            }
        }
    }
}

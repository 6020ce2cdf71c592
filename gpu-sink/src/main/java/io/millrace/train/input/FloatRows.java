package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.image.FloatFormula;
import io.millrace.image.FloatPixels;
import io.millrace.image.FloatStep;
import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.function.Supplier;

/**
 * The conversion of a column's rows to floats on the host, with the device's transforms of the floats. Belongs to
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
    private final FloatPixels pixels;

    /**
     * Prepares for a column.
     *
     * @param column a column that is not ragged
     * @param steps the arithmetic of its rows
     */
    FloatRows(BatchSpec.Column column, List<FloatStep> steps) {
        this.column = column;
        this.rowFloats = column.elements();
        this.partRows = Math.max(1, PART_FLOATS / Math.max(1, rowFloats));
        this.pixels = new FloatPixels(FloatFormula.of(column.shape(), steps));
    }

    /** Returns whether the engine converts a column's numbers. */
    static boolean needEngine(BatchSpec.Column column) {
        return column.dtype() != DType.UINT8 && ColumnNumbers.convertedByEngine(column.dtype());
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
     * @param engine the owner of the arrays of this call. It is called only if the engine converts the column's numbers
     */
    void fill(ByteBuffer rows, int from, int count, ByteBuffer target, Supplier<PtNDManager> engine) {
        int rowBytes = column.elementBytes();
        ByteBuffer numbers = rows.slice(from * rowBytes, count * rowBytes);
        FloatBuffer floats = target.asFloatBuffer();
        if (column.dtype() == DType.UINT8) {
            pixels.convert(numbers, floats);
            return;
        }
        ColumnNumbers.toFloats(numbers, column.dtype(), ColumnNumbers.batch(count, column.shape()), target, engine);
        pixels.change(floats);
    }
}

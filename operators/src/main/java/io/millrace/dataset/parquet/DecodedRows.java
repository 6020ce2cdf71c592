package io.millrace.dataset.parquet;

import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The decoded values of some rows of a column. Immutable and safe for several threads. */
final class DecodedRows {
    /** The state of a row's value. */
    enum State {
        VALUE,
        NULL,
        /** The value has an unsigned number that does not fit the type of the sample's field. */
        TOO_LARGE,
        /** The value consists of lists, and some of them are null or empty or have different lengths. */
        IRREGULAR
    }

    private static final int ROW_BYTES = 8;
    private static final int SHAPE_BYTES = 32;
    private static final int SLICE_BYTES = 64;

    private final ParquetColumn column;
    private final State[] states;

    /** The number of the first element of each row, followed by the number of all elements. */
    private final int[] firsts;

    /** The extents of each row's lists, when there are several lists around a value. */
    private final List<int[]> shapes;

    private final byte[] numbers;
    private final List<ByteBuffer> slices;

    /** The levels of all entries of a nested column, two bytes each; empty for other columns. */
    private final byte[] levels;

    /** The number of the first entry of each row, followed by the number of all entries; empty where there are no levels. */
    private final int[] entries;

    private final long bytes;

    /** Creates rows and takes ownership of the arrays. */
    DecodedRows(
            ParquetColumn column,
            State[] states,
            int[] firsts,
            List<int[]> shapes,
            byte[] numbers,
            List<ByteBuffer> slices,
            byte[] levels,
            int[] entries) {
        this.column = column;
        this.states = states;
        this.firsts = firsts;
        this.shapes = shapes;
        this.numbers = numbers;
        this.slices = slices;
        this.levels = levels;
        this.entries = entries;
        long sliced = 0;
        for (ByteBuffer slice : slices) {
            sliced += SLICE_BYTES + slice.remaining();
        }
        this.bytes = (long) states.length * ROW_BYTES
                + (long) shapes.size() * SHAPE_BYTES
                + numbers.length
                + sliced
                + levels.length
                + (long) entries.length * Integer.BYTES;
    }

    int rows() {
        return states.length;
    }

    /** Returns the approximate memory of this object in bytes. */
    long bytes() {
        return bytes;
    }

    State state(int row) {
        return states[row];
    }

    /** Returns the entries of a row of a nested column. */
    LeafValues entries(int row) {
        return new LeafValues(column, levels, entries[row], entries[row + 1], numbers, slices, firsts[row]);
    }

    /** Returns a copy of the value of a row whose state is {@link State#VALUE}. */
    StoredValue value(int row) {
        if (column.content().dtype() == null) {
            ByteBuffer slice = slices.get(firsts[row]).duplicate();
            byte[] value = new byte[slice.remaining()];
            slice.get(value);
            return column.content().text() ? StoredValue.text(value) : StoredValue.bytes(value);
        }
        var dtype = Objects.requireNonNull(column.content().dtype());
        byte[] data = Arrays.copyOfRange(numbers, firsts[row] * dtype.bytes(), firsts[row + 1] * dtype.bytes());
        if (column.depth() == 0) {
            return StoredValue.fixed(dtype, new int[0], data);
        }
        int[] shape = shapes.isEmpty()
                ? new int[] {firsts[row + 1] - firsts[row]}
                : shapes.get(row).clone();
        return StoredValue.fixed(dtype, shape, data).as(Form.LIST);
    }
}

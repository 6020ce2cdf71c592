package io.millrace.dataset.parquet;

import io.millrace.dataset.columns.NestedText;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one row in a column within structs and lists, one after another. An entry has levels, and a value if no part of it is
 * absent. Belongs to one thread.
 *
 * <p>Tested by {@code NestedColumnsTest}.
 */
final class LeafValues {
    private final ParquetColumn column;
    private final byte[] levels;
    private final int end;
    private final byte[] numbers;
    private final List<ByteBuffer> slices;
    private int at;
    private int value;

    /**
     * Creates the entries of a row.
     *
     * @param levels the repetition and the definition level of each entry, one byte each
     * @param from the number of the first entry
     * @param end the number after the last entry
     * @param value the number of the first value
     */
    LeafValues(
            ParquetColumn column,
            byte[] levels,
            int from,
            int end,
            byte[] numbers,
            List<ByteBuffer> slices,
            int value) {
        this.column = column;
        this.levels = levels;
        this.at = from;
        this.end = end;
        this.numbers = numbers;
        this.slices = slices;
        this.value = value;
    }

    /** Returns whether there is no further entry. */
    boolean ended() {
        return at == end;
    }

    /** Returns the number of the innermost list that the entry continues. */
    int repetition() {
        return levels[2 * present()];
    }

    /** Returns the number of optional parts, from the outermost one, that are not absent. */
    int definition() {
        return levels[2 * present() + 1];
    }

    private int present() {
        if (ended()) {
            throw new IllegalArgumentException("expected columns with the same lists, found fewer values in '"
                    + String.join(".", column.path()) + "'");
        }
        return at;
    }

    /** Goes to the next entry. */
    void skip() {
        if (definition() == column.definition()) {
            value++;
        }
        at++;
    }

    /** Writes the value of the entry and goes to the next one. */
    void write(NestedText text) throws IOException {
        @Nullable DType dtype = column.content().dtype();
        if (dtype != null) {
            text.number(dtype, numbers, value);
        } else {
            ByteBuffer slice = slices.get(value).duplicate();
            byte[] bytes = new byte[slice.remaining()];
            slice.get(bytes);
            text.text(bytes);
        }
        skip();
    }
}

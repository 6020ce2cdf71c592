package io.millrace.dataset.parquet;

import io.millrace.sample.DType;
import java.util.List;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * A column whose values are read.
 *
 * @param path the names from the outermost group to the column
 * @param stored the type in which the file stores the values
 * @param width the number of bytes of a stored value; 1 for bool, 0 for byte arrays of any length
 * @param depth the number of lists around each value
 * @param definition the definition level of a value that is not null
 * @param listLevel the definition level from which the outermost list has an element; 0 when there is no list
 * @param content the type of the values
 * @param nested whether the levels of all entries are kept, because the values are within structs or lists that become JSON text
 */
record ParquetColumn(
        List<String> path,
        Type stored,
        int width,
        int depth,
        int definition,
        int listLevel,
        Content content,
        boolean nested) {
    /**
     * The type of the values.
     *
     * @param dtype the type of numbers, null for bytes and text
     * @param text whether bytes are UTF-8
     * @param unsignedLong whether the numbers are unsigned and stored in 64 bits, so that some do not fit the type
     */
    record Content(@Nullable DType dtype, boolean text, boolean unsignedLong) {}

    private static final int ARRAY_BYTES = 64;

    /** Returns the approximate memory of a stored value in bytes, without the bytes of byte arrays. */
    int valueBytes() {
        return width == 0 ? ARRAY_BYTES : width;
    }
}

package io.millrace.dataset.parquet;

import io.millrace.sample.DType;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A column whose values are read.
 *
 * @param descriptor the column's descriptor for Parquet's library
 * @param content the type of the values
 * @param listLevel the definition level from which the outermost list has an element; 0 when there is no list
 */
record ParquetColumn(ColumnDescriptor descriptor, Content content, int listLevel) {
    /**
     * The type of the values.
     *
     * @param dtype the type of numbers, null for bytes and text
     * @param text whether bytes are UTF-8
     */
    record Content(@Nullable DType dtype, boolean text) {}

    /** Returns the number of lists around each value. */
    int depth() {
        return descriptor.getMaxRepetitionLevel();
    }

    List<String> path() {
        return List.of(descriptor.getPath());
    }
}

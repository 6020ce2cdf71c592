package io.millrace.dataset.parquet;

import io.millrace.sample.DType;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A column whose values are read.
 *
 * @param descriptor for Parquet's library
 * @param content what the values are
 * @param listLevel the definition level from which the outermost list has an element; 0 where there is no list
 */
record ParquetColumn(ColumnDescriptor descriptor, Content content, int listLevel) {
    /**
     * What values are.
     *
     * @param dtype of numbers, null for bytes and text
     * @param text whether bytes are UTF-8
     */
    record Content(@Nullable DType dtype, boolean text) {}

    /** How many lists are around each value. */
    int depth() {
        return descriptor.getMaxRepetitionLevel();
    }

    List<String> path() {
        return List.of(descriptor.getPath());
    }
}

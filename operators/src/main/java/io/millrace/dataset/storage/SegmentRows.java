package io.millrace.dataset.storage;

import io.millrace.sample.StoredRows;
import java.util.List;

/**
 * Rows whose fields are stored each in segments of its own, one row after another. Safe for several threads.
 *
 * @param name the name of the file in messages; a row's number follows it
 * @param columns the fields
 * @param segments the values of each field, as the field has them
 */
public record SegmentRows(String name, List<Column> columns, List<Segments> segments) implements StoredRows {
    public SegmentRows {
        columns = List.copyOf(columns);
        segments = List.copyOf(segments);
    }

    @Override
    public void copy(int column, long index, long address) {
        int bytes = (int) columns.get(column).bytes();
        segments.get(column).copy(index * bytes, bytes, address);
    }

    @Override
    public void load(int column, long index) {
        int bytes = (int) columns.get(column).bytes();
        segments.get(column).load(index * bytes, bytes);
    }

    @Override
    public String key(long index) {
        return name + "#" + index;
    }
}

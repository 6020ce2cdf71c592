package io.millrace.dataset.storage;

import io.millrace.sample.StoredRows;
import java.util.List;

/** Rows whose fields are stored each in segments of its own, one row after another. Safe for several threads. */
public final class SegmentRows implements StoredRows {
    private final String name;
    private final List<Column> columns;
    private final List<Segments> segments;
    private final int[] bytes;

    /**
     * Creates the rows of segments, which remain the caller's.
     *
     * @param name the name of the file in messages; a row's number follows it
     * @param columns the fields
     * @param segments the values of each field, as the field has them
     */
    public SegmentRows(String name, List<Column> columns, List<Segments> segments) {
        this.name = name;
        this.columns = List.copyOf(columns);
        this.segments = List.copyOf(segments);
        this.bytes = columns.stream().mapToInt(column -> (int) column.bytes()).toArray();
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public void copy(int column, long index, long address) {
        segments.get(column).copy(index * bytes[column], bytes[column], address);
    }

    @Override
    public void load(int column, long index) {
        segments.get(column).load(index * bytes[column], bytes[column]);
    }

    @Override
    public String key(long index) {
        return name + "#" + index;
    }
}

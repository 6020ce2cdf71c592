package io.millrace.device;

import io.millrace.batch.RowStore;
import io.millrace.sample.BadSample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row at its place in a batch that is not sealed yet, in wire form. */
record PresentRow(RowArrivals arrivals, List<ColumnRows> columns, int row) implements RowStore.Row {
    @Override
    public long position() {
        return arrivals.position(row);
    }

    @Override
    public long index() {
        return arrivals.index(row);
    }

    @Override
    public long label() {
        return arrivals.label(row);
    }

    @Override
    public @Nullable BadSample badSample() {
        return null;
    }

    @Override
    public int bytes(int column) {
        return columns.get(column).bytes(row);
    }

    @Override
    public void copyTo(int column, long address) {
        columns.get(column).copyTo(row, address);
    }
}

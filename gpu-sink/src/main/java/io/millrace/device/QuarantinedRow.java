package io.millrace.device;

import io.millrace.batch.RowStore;
import io.millrace.sample.BadSample;

/** A row of a batch whose sample is bad: the row has no columns. */
record QuarantinedRow(long position, long index, BadSample badSample) implements RowStore.Row {
    @Override
    public long label() {
        return 0;
    }

    @Override
    public int bytes(int column) {
        throw new IllegalStateException("a quarantined row has no columns");
    }

    @Override
    public void copyTo(int column, long address) {
        throw new IllegalStateException("a quarantined row has no columns");
    }
}

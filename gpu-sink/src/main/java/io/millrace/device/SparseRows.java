package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.SparseValues;
import io.millrace.lifecycle.Handles;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A sparse column of a batch. Its entries, each a place and a value, are sent and kept like the entries of ragged rows.
 * The host expands them to rows of all elements when the values are read; on a GPU the engine does so, from the entries
 * and their offsets.
 */
final class SparseRows implements ColumnRows {
    private final Handles handles = new Handles();
    private final RaggedRows entries;
    private final int elements;
    private final int width;
    private final @Nullable AlignedMemory spread;
    private boolean isSpread;

    SparseRows(Device device, String what, BatchSpec.Column column, int capacity) {
        this.elements = column.elements();
        this.width = column.dtype().bytes();
        this.entries = handles.add(new RaggedRows(device, what, column.entryBytes(), capacity));
        boolean spreads = device.expandsRows();
        this.spread = spreads
                ? handles.closeOnFailure(
                        () -> handles.add(AlignedMemory.allocate((long) capacity * column.elementBytes(), what)))
                : null;
    }

    @Override
    public void begin() {
        entries.begin();
        isSpread = false;
    }

    @Override
    public void put(int row, long address, int bytes) {
        entries.put(row, address, bytes);
    }

    @Override
    public int bytes(int row) {
        return entries.bytes(row);
    }

    @Override
    public void copyTo(int row, long address) {
        entries.copyTo(row, address);
    }

    @Override
    public void seal(boolean[] present, int expected) {
        entries.seal(present, expected);
    }

    @Override
    public long wireBytes() {
        return entries.wireBytes();
    }

    /** Returns the entries of all rows, one after another. */
    @Override
    public DeviceMemory memory() {
        return entries.memory();
    }

    /** Returns the rows of entries, with the beginning and the end of each row on the device. */
    RaggedRows entries() {
        return entries;
    }

    /** Returns rows of all elements, on the host; the entries, if the device does not expand rows. */
    @Override
    public ByteBuffer values() {
        AlignedMemory target = spread;
        if (target == null) {
            // If the CPU cannot read the memory, the call throws an exception with that reason.
            return entries.values();
        }
        LongBuffer offsets = entries.offsets();
        int rows = offsets.remaining() - 1;
        int rowBytes = elements * width;
        long from = memory().address();
        for (int row = 0; !isSpread && row < rows; row++) {
            int count = Math.toIntExact(offsets.get(row + 1) - offsets.get(row));
            long first = from + offsets.get(row) * (SparseValues.PLACE_BYTES + width);
            SparseValues.spread(first, count, target.address() + (long) row * rowBytes, elements, width);
        }
        isSpread = true;
        return target.slice(0, Math.multiplyExact(rows, rowBytes));
    }

    @Override
    public void close() {
        handles.close();
    }
}

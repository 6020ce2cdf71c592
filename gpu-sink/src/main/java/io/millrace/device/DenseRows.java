package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Bits;
import io.millrace.batch.Form;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one length, each at its place. Bits stay eight to a byte, as they were sent; the host, whose engine reads bytes,
 * spreads them when they are asked for.
 */
final class DenseRows implements ColumnRows {
    private final DeviceStream copies;
    private final int rowBytes;
    private final int elements;
    private final DeviceMemory memory;
    private final @Nullable AlignedMemory spread;
    private final Handles handles = new Handles();
    private int rows;
    private boolean isSpread;

    DenseRows(Device device, String what, BatchSpec.Column column, int capacity) {
        this.copies = device.copies();
        this.rowBytes = column.rowBytes();
        this.elements = column.elements();
        boolean spreads = column.form() == Form.BITS && device instanceof HostDevice;
        this.memory = handles.add(device.memory((long) capacity * rowBytes, what));
        this.spread = handles.closeOnFailure(
                () -> spreads ? handles.add(AlignedMemory.allocate((long) capacity * elements, what)) : null);
    }

    @Override
    public void begin() {
        rows = 0;
        isSpread = false;
    }

    @Override
    public void put(int row, long address, int bytes) {
        putAll(row, 1, address);
    }

    /** Takes rows that lie one after another, and go to as many places from {@code row} on, in one copy. */
    void putAll(int row, int count, long address) {
        copies.copyIn(address, memory, at(row), at(count));
    }

    private long at(int row) {
        return (long) row * rowBytes;
    }

    @Override
    public int bytes(int row) {
        return rowBytes;
    }

    @Override
    public void copyTo(int row, long address) {
        memory.read(at(row), address, rowBytes);
    }

    @Override
    public void seal(boolean[] present, int expected) {
        for (int from = 0; from < expected; ) {
            int end = from;
            while (end < expected && present[end]) {
                end++;
            }
            moveDown(from, end - from);
            rows += end - from;
            from = end + 1;
        }
    }

    /** In pieces that are no longer than the gap, so that none is copied onto itself. */
    private void moveDown(int from, int count) {
        int gap = from - rows;
        for (int moved = 0; gap > 0 && moved < count; moved += gap) {
            int now = Math.min(gap, count - moved);
            copies.copyWithin(memory, at(from + moved), at(rows + moved), at(now));
        }
    }

    @Override
    public long sentBytes() {
        return at(rows);
    }

    @Override
    public DeviceMemory memory() {
        return memory;
    }

    @Override
    public ByteBuffer values() {
        if (spread == null) {
            return memory.slice(0, Math.toIntExact(at(rows)));
        }
        for (int row = 0; !isSpread && row < rows; row++) {
            Bits.unpack(memory.address() + at(row), spread.address() + (long) row * elements, elements);
        }
        isSpread = true;
        return spread.slice(0, rows * elements);
    }

    @Override
    public void close() {
        handles.close();
    }
}

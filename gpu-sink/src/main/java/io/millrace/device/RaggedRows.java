package io.millrace.device;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A ragged column of a batch: rows arrive in any order, and lie one after another in the order of their places once
 * sealed. Memory grows to what the largest batch took.
 */
final class RaggedRows implements ColumnRows {
    private static final int FIRST_BYTES = 4096;

    private final String what;
    private final int entryBytes;
    private final int[] starts;
    private final int[] lengths;
    private final AlignedMemory offsets;
    private AlignedMemory arrived;
    private AlignedMemory ordered;
    private int used;
    private int rows;

    /** Room for {@code capacity} rows of entries of so many bytes; {@code what} names the column in errors. */
    RaggedRows(String what, int entryBytes, int capacity) {
        this.what = what;
        this.entryBytes = entryBytes;
        this.starts = new int[capacity];
        this.lengths = new int[capacity];
        this.offsets = AlignedMemory.allocate((capacity + 1L) * Long.BYTES, "the offsets of " + what);
        this.arrived = AlignedMemory.allocate(FIRST_BYTES, what);
        this.ordered = AlignedMemory.allocate(FIRST_BYTES, what);
    }

    @Override
    public void begin() {
        used = 0;
        rows = 0;
    }

    @Override
    public void put(int row, long address, int bytes) {
        long needed = (long) used + bytes;
        if (needed > arrived.bytes()) {
            AlignedMemory larger = AlignedMemory.allocate(grown(needed), what);
            MemoryUtil.copyMemory(arrived.address(), larger.address(), used);
            arrived.close();
            arrived = larger;
        }
        MemoryUtil.copyMemory(address, arrived.address() + used, bytes);
        starts[row] = used;
        lengths[row] = bytes;
        used += bytes;
    }

    @Override
    public int bytes(int row) {
        return lengths[row];
    }

    @Override
    public void copyTo(int row, long address) {
        MemoryUtil.copyMemory(arrived.address() + starts[row], address, lengths[row]);
    }

    @Override
    public void seal(boolean[] present, int expected) {
        if (used > ordered.bytes()) {
            ordered.close();
            ordered = AlignedMemory.allocate(grown(used), what);
        }
        long at = 0;
        MemoryUtil.putLong(offsets.address(), 0);
        for (int row = 0; row < expected; row++) {
            if (present[row]) {
                MemoryUtil.copyMemory(arrived.address() + starts[row], ordered.address() + at, lengths[row]);
                at += lengths[row];
                rows++;
                MemoryUtil.putLong(offsets.address() + (long) rows * Long.BYTES, at / entryBytes);
            }
        }
    }

    /** Twice what is needed, as long as one block can have it. */
    private static long grown(long needed) {
        return Math.max(needed, Math.min(2 * needed, Integer.MAX_VALUE));
    }

    /** The entries of all rows, one after another. */
    @Override
    public ByteBuffer values() {
        long entries = MemoryUtil.getLong(offsets.address() + (long) rows * Long.BYTES);
        return ordered.slice(0, Math.toIntExact(entries * entryBytes));
    }

    /** Where each row begins, counted in entries, and behind the last where it ends. */
    LongBuffer offsets() {
        return offsets.slice(0, (rows + 1) * Long.BYTES).asLongBuffer();
    }

    @Override
    public void close() {
        offsets.close();
        arrived.close();
        ordered.close();
    }
}

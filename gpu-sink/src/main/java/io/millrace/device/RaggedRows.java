package io.millrace.device;

import io.millrace.lifecycle.Handles;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * A ragged column of a batch. Rows arrive in any order in memory of this process; sealing copies them to the device one
 * after another in the order of their places. The memory grows to the size of the largest batch.
 */
final class RaggedRows implements ColumnRows {
    private static final int FIRST_BYTES = 4096;

    private final Device device;
    private final String what;
    private final int entryBytes;
    private final int[] starts;
    private final int[] lengths;
    private final AlignedMemory offsets;
    private final DeviceMemory wireOffsets;
    private AlignedMemory arrived;
    private DeviceMemory ordered;
    private int used;
    private int rows;

    /**
     * Allocates room for {@code capacity} rows of entries of {@code entryBytes} bytes; {@code what} names the column in
     * errors.
     */
    RaggedRows(Device device, String what, int entryBytes, int capacity) {
        this.device = device;
        this.what = what;
        this.entryBytes = entryBytes;
        this.starts = new int[capacity];
        this.lengths = new int[capacity];
        Handles begun = new Handles();
        long offsetBytes = (capacity + 1L) * Long.BYTES;
        this.offsets = begun.add(device.pageLocked(offsetBytes, "the offsets of " + what));
        this.wireOffsets = begun.closeOnFailure(() -> begun.add(device.memory(offsetBytes, "the offsets of " + what)));
        this.arrived = begun.closeOnFailure(() -> begun.add(device.pageLocked(FIRST_BYTES, what)));
        this.ordered = begun.closeOnFailure(() -> device.memory(FIRST_BYTES, what));
    }

    @Override
    public void begin() {
        used = 0;
        rows = 0;
    }

    /**
     * Requires that a row has room beside those that were put. One block of memory holds them all.
     *
     * @param index the index of the row's sample in its dataset
     * @throws DeviceException with the sample's index when it has not
     */
    void requireRoom(int bytes, long index) {
        requireRoom(what, used, bytes, index);
    }

    static void requireRoom(String what, long used, int bytes, long index) {
        if (used + bytes > Integer.MAX_VALUE) {
            throw new DeviceException("the sample with index " + index + " has no room in " + what + ": its " + bytes
                    + " bytes and the " + used + " bytes of the rows before it are more than the "
                    + Integer.MAX_VALUE + " bytes that a batch holds of one field. Set a smaller batch.size");
        }
    }

    @Override
    public void put(int row, long address, int bytes) {
        long needed = (long) used + bytes;
        if (needed > arrived.bytes()) {
            AlignedMemory larger = device.pageLocked(grown(needed), what);
            MemoryUtil.copyMemory(arrived.address(), larger.address(), used);
            AlignedMemory smaller = arrived;
            arrived = larger;
            smaller.close();
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
        makeRoom();
        long at = 0;
        int from = 0;
        int length = 0; // the length of consecutive rows in memory, from `from` on, that one copy moves to `at`
        offsets.buffer().putLong(0, 0);
        for (int row = 0; row < expected; row++) {
            if (!present[row]) {
                continue;
            }
            if (starts[row] != from + length) {
                copy(from, at, length);
                at += length;
                from = starts[row];
                length = 0;
            }
            length += lengths[row];
            rows++;
            MemoryUtil.putLong(offsets.address() + (long) rows * Long.BYTES, (at + length) / entryBytes);
        }
        copy(from, at, length);
        device.copies().copyIn(offsets.address(), wireOffsets, 0, (rows + 1L) * Long.BYTES);
    }

    private void makeRoom() {
        if (used > ordered.bytes()) {
            DeviceMemory larger = device.memory(grown(used), what);
            DeviceMemory smaller = ordered;
            ordered = larger;
            // The pending work on this stream includes the wait for the engine's use of the previous batch.
            device.copies().synchronize();
            smaller.close();
        }
    }

    private void copy(int from, long to, int bytes) {
        if (bytes > 0) {
            device.copies().copyIn(arrived.address() + from, ordered, to, bytes);
        }
    }

    /** Returns twice the needed size, or as much of it as one block can have. */
    private static long grown(long needed) {
        return Math.max(needed, Math.min(2 * needed, Integer.MAX_VALUE));
    }

    @Override
    public long wireBytes() {
        return MemoryUtil.getLong(offsets.address() + (long) rows * Long.BYTES) * entryBytes;
    }

    /** Returns the entries of all rows, one after another. */
    @Override
    public DeviceMemory memory() {
        return ordered;
    }

    /** Returns the entries of all rows, one after another. */
    @Override
    public ByteBuffer values() {
        return ordered.slice(0, Math.toIntExact(wireBytes()));
    }

    /** Returns the first entry of each row and, after them, the number of all entries. */
    LongBuffer offsets() {
        return offsets.slice(0, (rows + 1) * Long.BYTES).asLongBuffer();
    }

    /** Returns these offsets on the device, int64. */
    DeviceMemory wireOffsets() {
        return wireOffsets;
    }

    @Override
    public void close() {
        try (Handles all = new Handles()) {
            all.add(offsets);
            all.add(wireOffsets);
            all.add(arrived);
            all.add(ordered);
        }
    }
}

package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Bits;
import io.millrace.batch.Form;
import io.millrace.lifecycle.Handles;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of one length, each at its place. Bits stay eight to a byte, as in wire form. The engine of the host reads
 * bytes, so the host expands the bits when the values are read.
 */
final class DenseRows implements ColumnRows {
    /**
     * The number of rows for which there is one spare row. Rows that move down by less than their number pass through
     * the spare rows.
     */
    private static final int SPARE_SHARE = 16;

    private static final Logger LOG = LoggerFactory.getLogger(DenseRows.class);

    /** A piece of this share of a batch, or a larger one, is copied to the device by itself when it arrives. */
    private static final int DIRECT_SHARE = 8;

    private final Device device;
    private final String what;
    private final DeviceStream copies;
    private final int capacity;
    private final int spareRows;
    private final int rowBytes;
    private final int elements;
    private final DeviceMemory memory;
    private final @Nullable AlignedMemory spread;

    /** Rows in memory of this process, each at its place: those that wait for their copy, and fetched ones. */
    private @Nullable AlignedMemory here;

    /** The places of the rows that wait for their copy. */
    private final BitSet gathered = new BitSet();

    /** Whether gathered rows were copied to the device since the batch began. When it is sealed, its event shows when that is done. */
    private boolean copying;

    private final Handles handles = new Handles();
    private int rows;
    private boolean isSpread;

    /**
     * Creates rows without values.
     *
     * @param place memory for exactly {@code capacity} rows, which the caller owns; null if the device allocates the
     *     memory, with spare rows
     */
    DenseRows(Device device, String what, BatchSpec.Column column, int capacity, @Nullable DeviceMemory place) {
        this.device = device;
        this.what = what;
        this.copies = device.copies();
        this.capacity = capacity;
        this.rowBytes = column.rowBytes();
        int spare = place == null ? capacity / SPARE_SHARE : 0;
        this.spareRows =
                at((long) capacity + spare) <= Integer.MAX_VALUE ? spare : 0; // one block of memory has no more
        this.elements = column.elements();
        boolean spreads = column.form() == Form.BITS && device.expandsRows();
        this.memory = place == null ? handles.add(device.memory(at(capacity + spareRows), what)) : place;
        this.spread = spreads
                ? handles.closeOnFailure(() -> handles.add(AlignedMemory.allocate((long) capacity * elements, what)))
                : null;
    }

    @Override
    public void begin() {
        rows = 0;
        isSpread = false;
        gathered.clear();
        if (copying) {
            copies.synchronize(); // the batch before was dropped
            copying = false;
        }
    }

    @Override
    public void put(int row, long address, int bytes) {
        putAll(row, 1, address);
    }

    /** Copies consecutive rows to consecutive places, from {@code row} on, in one copy. */
    void putAll(int row, int count, long address) {
        copies.copyIn(address, memory, at(row), at(count));
    }

    /**
     * Puts a piece of a batch: consecutive rows to consecutive places, from {@code row} on. A call of the driver takes longer than the
     * copy of a small row, so that small pieces are gathered until {@link #copyGathered}.
     *
     * @param expected the number of rows of the batch
     * @return the bytes whose copy is enqueued; 0 if they are gathered
     */
    long putPiece(int row, int count, long address, int expected) {
        if (isDirect(count, expected)) {
            putAll(row, count, address);
            return at(count);
        }
        MemoryUtil.copyMemory(address, here().address() + at(row), at(count));
        gathered.set(row, row + count);
        return 0;
    }

    /** Returns whether a piece of so many rows is copied by itself. */
    boolean isDirect(int count, int expected) {
        return device.isReadableByCpu() || (long) count * DIRECT_SHARE >= expected;
    }

    private AlignedMemory here() {
        AlignedMemory present = here;
        if (present == null) {
            present = handles.add(lockedOrPageable());
            here = present;
        }
        return present;
    }

    /** A run that has trained without this memory so far does not fail for lack of it. */
    private AlignedMemory lockedOrPageable() {
        try {
            return device.pageLocked(at(capacity), what);
        } catch (DeviceBrokenException e) {
            throw e;
        } catch (DeviceException e) {
            LOG.warn("{}: its rows are gathered in pageable memory, from which copies are slower", e.getMessage());
            return AlignedMemory.allocate(at(capacity), what);
        }
    }

    /** Returns whether rows are gathered. */
    boolean hasGathered() {
        return !gathered.isEmpty();
    }

    /** Copies the gathered rows to the device, neighbours together, and returns their bytes. */
    long copyGathered() {
        long bytes = 0;
        for (int from = gathered.nextSetBit(0); from >= 0; from = gathered.nextSetBit(from)) {
            int end = gathered.nextClearBit(from);
            putAll(from, end - from, here().address() + at(from));
            bytes += at(end - from);
            copying = true;
            gathered.clear(from, end);
        }
        return bytes;
    }

    private long at(long row) {
        return row * rowBytes;
    }

    @Override
    public int bytes(int row) {
        return rowBytes;
    }

    /** Gathered rows are here already. Those between two of them are copied together, with the gaps of absent rows. */
    @Override
    public void fetch(boolean[] present, int expected) {
        if (device.isReadableByCpu()) {
            return;
        }
        for (int from = 0; from < expected; ) {
            int limit = gathered.nextSetBit(from);
            int end = limit < 0 ? expected : Math.min(limit, expected);
            int first = from;
            while (first < end && !present[first]) {
                first++;
            }
            int last = end - 1;
            while (last > first && !present[last]) {
                last--;
            }
            if (first < end) {
                copies.copyOut(memory, at(first), here().address() + at(first), at(last + 1 - first));
            }
            from = gathered.nextClearBit(end);
        }
    }

    @Override
    public void copyTo(int row, long address) {
        if (device.isReadableByCpu()) {
            memory.read(at(row), address, rowBytes);
        } else {
            MemoryUtil.copyMemory(here().address() + at(row), address, rowBytes);
        }
    }

    @Override
    public void seal(boolean[] present, int expected) {
        copyGathered();
        copying = false;
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

    /**
     * Moves rows down with as few copies as possible, none of which overlaps itself: either in pieces that are no
     * longer than the gap, or in larger pieces through the spare rows.
     */
    private void moveDown(int from, int count) {
        int gap = from - rows;
        if (gap == 0 || count == 0) {
            return;
        }
        boolean direct = spareRows == 0 || pieces(count, gap) <= 2 * pieces(count, spareRows);
        int piece = direct ? gap : spareRows;
        for (int moved = 0; moved < count; moved += piece) {
            int now = Math.min(piece, count - moved);
            if (direct) {
                copies.copyWithin(memory, at(from + moved), at(rows + moved), at(now));
            } else {
                copies.copyWithin(memory, at(from + moved), at(capacity), at(now));
                copies.copyWithin(memory, at(capacity), at(rows + moved), at(now));
            }
        }
    }

    private static int pieces(int count, int piece) {
        return (count + piece - 1) / piece;
    }

    @Override
    public long wireBytes() {
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

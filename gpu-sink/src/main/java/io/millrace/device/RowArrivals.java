package io.millrace.device;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.arrow.memory.util.MemoryUtil;

/**
 * The record of the rows of a batch that have arrived: present rows with their samples and labels, and quarantined
 * rows. This is the only such record. One thread at a time calls the methods.
 *
 * <p>Tested by {@code DeviceBatchTest}.
 */
final class RowArrivals {
    /** The position and the index of a padded row. */
    private static final long NO_SAMPLE = -1;

    private final AlignedMemory labels;
    private final long[] positions;
    private final long[] indexes;
    private final boolean[] present;
    private final SortedMap<Integer, QuarantinedRow> quarantined = new TreeMap<>();
    private long batch;
    private int expected;
    private int count;
    private boolean padded;

    /**
     * Creates a record for batches of up to {@code capacity} rows.
     *
     * @param labels memory for as many int64 values; the caller owns it
     */
    RowArrivals(int capacity, AlignedMemory labels) {
        this.labels = labels;
        this.positions = new long[capacity];
        this.indexes = new long[capacity];
        this.present = new boolean[capacity];
    }

    /**
     * Begins a batch, none of whose rows has arrived.
     *
     * @param number the batch's number, for error messages
     * @param rows the number of rows of the batch
     * @throws IllegalArgumentException when {@code rows} is negative or above the capacity
     */
    void begin(long number, int rows) {
        if (rows < 0 || rows > present.length) {
            throw new IllegalArgumentException("a batch of " + rows + " rows in memory for " + present.length);
        }
        Arrays.fill(present, false);
        quarantined.clear();
        batch = number;
        expected = rows;
        count = 0;
        padded = false;
    }

    /** Throws unless the batch has a row of that number. */
    void checkExpected(int row) {
        checkRow(row, expected);
    }

    /**
     * Throws when a row has arrived already, or the batch has no such row.
     *
     * @param index the index of the sample that arrives now
     */
    void requireAwaited(int row, long index) {
        checkExpected(row);
        QuarantinedRow bad = quarantined.isEmpty() ? null : quarantined.get(row); // mostly there is none
        if (present[row] || bad != null) {
            throw new IllegalStateException("row " + row + " of batch " + batch + " arrived twice: samples "
                    + (bad == null ? indexes[row] : bad.index()) + " and " + index);
        }
    }

    /** Records an awaited row as present. */
    void place(int row, long position, long index, long label) {
        present[row] = true;
        positions[row] = position;
        indexes[row] = index;
        MemoryUtil.putLong(labelAddress(row), label);
        count++;
    }

    /** Records an awaited row as quarantined. */
    void quarantine(int row, QuarantinedRow bad) {
        quarantined.put(row, bad);
    }

    /**
     * Places the padded row, of no sample, in a batch without present rows.
     *
     * @throws IllegalStateException when a row is present or awaited
     */
    void pad() {
        if (count > 0 || quarantined.size() < expected) {
            throw new IllegalStateException("a padded row in batch " + batch + ", of whose " + expected + " rows "
                    + count + " are present and " + quarantined.size() + " quarantined");
        }
        padded = true;
        expected = Math.max(1, expected);
        place(0, NO_SAMPLE, NO_SAMPLE, 0);
    }

    /** Returns whether the only row is a padded one. */
    boolean isPadded() {
        return padded;
    }

    /** Moves the present rows together, in their order. */
    void closeGaps() {
        int to = 0;
        for (int from = 0; from < expected && count < expected; from++) {
            if (present[from]) {
                MemoryUtil.putLong(labelAddress(to), MemoryUtil.getLong(labelAddress(from)));
                positions[to] = positions[from];
                indexes[to] = indexes[from];
                to++;
            }
        }
    }

    private long labelAddress(int row) {
        return labels.address() + (long) row * Long.BYTES;
    }

    /** Returns for each place whether its row is present; the caller must not change the array. */
    boolean[] present() {
        return present;
    }

    /** Returns the number of rows of the batch, those that are or will be quarantined included. */
    int expected() {
        return expected;
    }

    /** Returns the number of rows that are present. */
    int count() {
        return count;
    }

    /** Returns the number of rows that have arrived, quarantined ones included. */
    int arrived() {
        return count + quarantined.size();
    }

    /** Returns the places whose rows have not arrived, in order, at most {@code limit} of them. */
    List<Integer> awaited(int limit) {
        return IntStream.range(0, expected)
                .filter(row -> !present[row] && !quarantined.containsKey(row))
                .limit(limit)
                .boxed()
                .toList();
    }

    /** Returns the quarantined rows in order of their places. */
    Collection<QuarantinedRow> quarantined() {
        return quarantined.values();
    }

    long position(int row) {
        return positions[row];
    }

    long index(int row) {
        return indexes[row];
    }

    long label(int row) {
        return MemoryUtil.getLong(labelAddress(row));
    }

    /** Throws unless the row is one of the first {@code limit}. */
    static void checkRow(int row, int limit) {
        if (row < 0 || row >= limit) {
            throw new IndexOutOfBoundsException("row " + row + " of " + limit);
        }
    }
}

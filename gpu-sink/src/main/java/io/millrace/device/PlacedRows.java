package io.millrace.device;

import io.millrace.sample.BadSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;

/** Which rows of a batch have come, whose they are, and which are known to be missing. One thread at a time. */
final class PlacedRows {
    private final AlignedMemory labels;
    private final long[] positions;
    private final long[] indices;
    private final boolean[] present;
    private final List<QuarantinedRow> missing = new ArrayList<>();
    private int expected;
    private int count;

    /**
     * Room for {@code capacity} rows.
     *
     * @param labels memory for as many int64, the caller's
     */
    PlacedRows(int capacity, AlignedMemory labels) {
        this.labels = labels;
        this.positions = new long[capacity];
        this.indices = new long[capacity];
        this.present = new boolean[capacity];
    }

    /** Forgets all; so many are expected now. */
    void begin(int rows) {
        if (rows < 0 || rows > present.length) {
            throw new IllegalArgumentException("a batch of " + rows + " rows in memory for " + present.length);
        }
        Arrays.fill(present, false);
        missing.clear();
        expected = rows;
        count = 0;
    }

    /**
     * A row has come.
     *
     * @param batch the batch's number, for errors
     */
    void place(long batch, int row, long position, long index, long label) {
        checkRow(row, expected);
        if (present[row]) {
            throw new IllegalStateException("row " + row + " of batch " + batch + " is placed twice: samples "
                    + indices[row] + " and " + index);
        }
        present[row] = true;
        positions[row] = position;
        indices[row] = index;
        MemoryUtil.putLong(labelAddress(row), label);
        count++;
    }

    /** A row will not come. */
    void miss(int row, long position, long index, BadSample failure) {
        checkRow(row, expected);
        missing.add(new QuarantinedRow(position, index, failure));
    }

    /** Rows present move together, keeping their order. */
    void closeGaps() {
        int to = 0;
        for (int from = 0; from < expected && count < expected; from++) {
            if (present[from]) {
                MemoryUtil.putLong(labelAddress(to), MemoryUtil.getLong(labelAddress(from)));
                positions[to] = positions[from];
                indices[to] = indices[from];
                to++;
            }
        }
    }

    private long labelAddress(int row) {
        return labels.address() + (long) row * Long.BYTES;
    }

    /** Which rows are there; not to be changed. */
    boolean[] present() {
        return present;
    }

    /** Rows that the batch has when none is missing. */
    int expected() {
        return expected;
    }

    /** Rows that are there. */
    int count() {
        return count;
    }

    /** Those that will not come, as they were found out. */
    List<QuarantinedRow> missing() {
        return missing;
    }

    /** Their sample indexes, in order of their places. */
    List<Long> missingIndexes() {
        return missing.stream()
                .sorted(Comparator.comparingLong(QuarantinedRow::position))
                .map(QuarantinedRow::index)
                .toList();
    }

    long position(int row) {
        return positions[row];
    }

    long index(int row) {
        return indices[row];
    }

    long label(int row) {
        return MemoryUtil.getLong(labelAddress(row));
    }

    /** Refuses a row outside the first {@code limit}. */
    static void checkRow(int row, int limit) {
        if (row < 0 || row >= limit) {
            throw new IndexOutOfBoundsException("row " + row + " of " + limit);
        }
    }
}

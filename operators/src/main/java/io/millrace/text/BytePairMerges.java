package io.millrace.text;

import java.util.Arrays;

/**
 * The merges of a byte-level BPE: the rank of a pair of ids, and the merged id of a rank. An entry of the table is one long with both ids
 * and the rank, so that a look-up touches one line of the processor's cache. Nobody changes it once it is filled.
 */
final class BytePairMerges {
    static final int NONE = Integer.MAX_VALUE;

    private static final int BITS = 21;
    /** The bound of ids and ranks, so that three of them fit into a long. */
    static final int MOST = (1 << BITS) - 1;

    private static final long EMPTY = -1;
    private final long[] table;
    private final int shift;
    private final int[] merged;

    /**
     * Creates merges without any.
     *
     * @param merges the largest number of merges, at most {@link #MOST}
     */
    BytePairMerges(int merges) {
        int bits = 64 - Long.numberOfLeadingZeros(Math.max(8, merges + merges / 2));
        table = new long[1 << bits];
        Arrays.fill(table, EMPTY);
        shift = 64 - bits;
        merged = new int[merges];
    }

    /** Adds a merge; the last rank of a pair holds, as in the {@code tokenizers} library. */
    void put(int left, int right, int rank, int id) {
        long pair = pair(left, right);
        int slot = slot(pair);
        while (table[slot] != EMPTY && table[slot] >>> BITS != pair) {
            slot = (slot + 1) & (table.length - 1);
        }
        table[slot] = (pair << BITS) | rank;
        merged[rank] = id;
    }

    /** Returns the rank of a pair of ids; {@link #NONE} when they are not merged. */
    int rank(int left, int right) {
        long pair = pair(left, right);
        int slot = slot(pair);
        for (; ; ) {
            long entry = table[slot];
            if (entry >>> BITS == pair) {
                return (int) entry & MOST;
            }
            if (entry == EMPTY) {
                return NONE;
            }
            slot = (slot + 1) & (table.length - 1);
        }
    }

    /** Returns the id that replaces the pair of a rank. */
    int merged(int rank) {
        return merged[rank];
    }

    /** Returns the number of ranks. */
    int size() {
        return merged.length;
    }

    private int slot(long pair) {
        return (int) ((pair * 0x9E3779B97F4A7C15L) >>> shift);
    }

    private static long pair(int left, int right) {
        return ((long) left << BITS) | right;
    }
}

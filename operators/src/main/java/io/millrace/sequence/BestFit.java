package io.millrace.sequence;

import java.util.Arrays;

/**
 * The search for the open bin with the least room that suffices. Bins with the same room form a list, and a tree of bits, 64 to a node,
 * finds the next room that a bin has. A placement takes time in the logarithm of the bin's size to the base 64. One thread uses an object.
 */
final class BestFit {
    private static final int WORD_SHIFT = 6;

    private final int length;

    /** Level 0 has a bit for each room that a bin has, and each other level a bit for each word of the level below that is not 0. */
    private final long[][] levels;

    /** The last bin of each room plus 1; 0 for none. */
    private final int[] heads;

    /** For each bin, the one before it in the list of bins with its room plus 1; 0 for none. */
    private int[] before = new int[64];

    private int[] rooms = new int[64];
    private int bins;

    /**
     * Creates a search without bins.
     *
     * @param length the number of tokens that a bin holds, at least 1
     */
    BestFit(int length) {
        this.length = length;
        heads = new int[length + 1];
        int depth = 1;
        for (int words = length >>> WORD_SHIFT; words > 0; words >>>= WORD_SHIFT) {
            depth++;
        }
        levels = new long[depth][];
        int last = length;
        for (int level = 0; level < depth; level++) {
            last >>>= WORD_SHIFT;
            levels[level] = new long[last + 1];
        }
    }

    /** Returns the number of bins. */
    int bins() {
        return bins;
    }

    /** Forgets all bins, in time of their number. */
    void clear() {
        for (int bin = 0; bin < bins; bin++) {
            int room = rooms[bin];
            if (heads[room] != 0) {
                heads[room] = 0;
                unset(room);
            }
        }
        bins = 0;
    }

    /**
     * Puts tokens into the bin with the least room that suffices, or else into a new bin.
     *
     * @param tokens 1 to the length of a bin
     * @return the number of the bin, from 0 in the order in which they were opened
     */
    int place(int tokens) {
        int room = smallest(tokens);
        int bin;
        if (room < 0) {
            room = length;
            bin = open();
        } else {
            bin = heads[room] - 1;
            heads[room] = before[bin];
            if (heads[room] == 0) {
                unset(room);
            }
        }
        int left = room - tokens;
        rooms[bin] = left;
        if (left > 0) {
            if (heads[left] == 0) {
                set(left);
            }
            before[bin] = heads[left];
            heads[left] = bin + 1;
        }
        return bin;
    }

    private int open() {
        if (bins == rooms.length) {
            rooms = Arrays.copyOf(rooms, 2 * bins);
            before = Arrays.copyOf(before, 2 * bins);
        }
        return bins++;
    }

    /** Returns the smallest room of a bin from {@code from} on, or -1. */
    private int smallest(int from) {
        int at = from;
        for (int level = 0; level < levels.length; level++) {
            int word = at >>> WORD_SHIFT;
            if (word >= levels[level].length) {
                return -1;
            }
            long bits = levels[level][word] & -1L << at;
            if (bits != 0) {
                int found = word << WORD_SHIFT | Long.numberOfTrailingZeros(bits);
                for (int below = level - 1; below >= 0; below--) {
                    found = found << WORD_SHIFT | Long.numberOfTrailingZeros(levels[below][found]);
                }
                return found;
            }
            at = word + 1;
        }
        return -1;
    }

    private void set(int room) {
        int at = room;
        for (long[] level : levels) {
            long known = level[at >>> WORD_SHIFT];
            level[at >>> WORD_SHIFT] = known | 1L << at;
            if (known != 0) {
                return;
            }
            at >>>= WORD_SHIFT;
        }
    }

    private void unset(int room) {
        int at = room;
        for (long[] level : levels) {
            level[at >>> WORD_SHIFT] &= ~(1L << at);
            if (level[at >>> WORD_SHIFT] != 0) {
                return;
            }
            at >>>= WORD_SHIFT;
        }
    }
}

package io.millrace.text;

import java.util.Arrays;

/**
 * The ids of pretokens that were seen lately: one pretoken for each of 2^16 places, 2 MiB in all. Only pretokens of at most 23 bytes and
 * three ids are kept, so that a pretoken and its ids are in 32 neighbouring bytes. In a stream of texts, others are rarely repeated. One
 * thread uses it at a time.
 */
final class PretokenCache {
    /** The longest pretoken that is kept, in bytes. The 24th byte of a key is the length. */
    static final int LONGEST = 23;

    private static final int MOST_IDS = 3;
    private static final int BITS = 16;
    private static final int ENTRY = 4;
    private static final int ID_BITS = 21;
    /** No id: ids are less than {@link BytePairMerges#MOST}. */
    private static final int NONE = (1 << ID_BITS) - 1;

    private static final int SHORT = Long.BYTES - 1;

    private final long[] entries = new long[ENTRY << BITS];
    /** The key and the place of the latest pretoken. */
    private long first;

    private long second;
    private long third;
    private int place;

    /**
     * Appends the ids of a pretoken and returns true, or returns false when they are unknown. Then {@link #put} may follow.
     *
     * @param text bytes from {@code from} to {@code to}, at least 1 and at most {@link #LONGEST}
     */
    boolean addTo(TokenIds ids, byte[] text, int from, int to) {
        int length = to - from;
        first = ByteTokens.word(text, from, to);
        if (length <= Long.BYTES) {
            second = 0;
            third = (long) length << (Byte.SIZE * SHORT);
        } else {
            second = ByteTokens.word(text, from + Long.BYTES, to);
            third = ByteTokens.word(text, from + 2 * Long.BYTES, to) | (long) length << (Byte.SIZE * SHORT);
        }
        long hash = (first ^ Long.rotateLeft(third, 20)) * 0x9E3779B97F4A7C15L;
        hash = (hash ^ (hash >>> 32) ^ second) * 0xBF58476D1CE4E5B9L;
        place = (int) (hash >>> (Long.SIZE - BITS)) * ENTRY;
        if (entries[place] != first || entries[place + 2] != third || entries[place + 1] != second) {
            return false;
        }
        long value = entries[place + 3];
        ids.add((int) value & NONE);
        int next = (int) (value >>> ID_BITS) & NONE;
        if (next != NONE) {
            ids.add(next);
            next = (int) (value >>> (2 * ID_BITS));
            if (next != NONE) {
                ids.add(next);
            }
        }
        return true;
    }

    /** Keeps the ids of the pretoken that {@link #addTo} did not know, in place of another pretoken. */
    void put(int[] ids, int count) {
        if (count > MOST_IDS) {
            return;
        }
        entries[place] = first;
        entries[place + 1] = second;
        entries[place + 2] = third;
        long value = count > 2 ? ids[2] : NONE;
        value = (value << ID_BITS) | (count > 1 ? ids[1] : NONE);
        entries[place + 3] = (value << ID_BITS) | ids[0];
    }

    /** Forgets all pretokens. */
    void clear() {
        Arrays.fill(entries, 0);
    }
}

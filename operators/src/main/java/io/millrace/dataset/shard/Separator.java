package io.millrace.dataset.shard;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The bytes between two pieces of a text. A line feed also stands for CR LF, unless a CR is before it in the separator itself. Matches
 * are searched from left to right and do not overlap, as in Python's {@code bytes.split}. Immutable and safe for several threads.
 *
 * <p>Tested by {@code SeparatorTest}.
 */
public final class Separator {
    /** The end of a line. */
    public static final Separator LINE = new Separator("\n");

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private final String text;
    private final byte[] bytes;
    private final long first;

    /**
     * Creates a separator.
     *
     * @param text the separator, 1 or more characters
     */
    public Separator(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("a separator needs at least one character");
        }
        this.text = text;
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
        this.first = (bytes[0] & 0xFF) * ONES;
    }

    /** Returns the separator itself. */
    public String text() {
        return text;
    }

    /** Returns the largest number of bytes of a match. */
    int mostBytes() {
        return 2 * bytes.length;
    }

    /**
     * Returns the index of the first match that begins within a part of an array; -1 if there is none.
     *
     * @param from the first index of the part
     * @param to the index after the part
     * @param end the index after the bytes that a match may use, at least {@code to}
     */
    int find(byte[] text, int from, int to, int end) {
        boolean line = bytes[0] == '\n';
        int last = line ? Math.min(to + 1, end) : to; // the CR before a line feed may be the last byte of the part
        for (int at = indexOfFirst(text, from, last); at >= 0; at = indexOfFirst(text, at + 1, last)) {
            int start = line && at > from && text[at - 1] == '\r' ? at - 1 : at;
            if (start < to && after(text, start, end) >= 0) {
                return start;
            }
        }
        return -1;
    }

    /** Returns the index after the match that begins at {@code start}; -1 if none begins there. */
    int after(byte[] text, int start, int end) {
        int at = start;
        for (int i = 0; i < bytes.length; i++, at++) {
            boolean ofLine = bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r');
            if (ofLine && at + 1 < end && text[at] == '\r' && text[at + 1] == '\n') {
                at++;
            } else if (at >= end || text[at] != bytes[i]) {
                return -1;
            }
        }
        return at;
    }

    private int indexOfFirst(byte[] text, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            long differing = (long) LONGS.get(text, at) ^ first;
            long found = (differing - ONES) & ~differing & HIGH_BITS; // the lowest set bit is that of the first match
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; at < to; at++) {
            if (text[at] == bytes[0]) {
                return at;
            }
        }
        return -1;
    }
}

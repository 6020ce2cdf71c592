package io.millrace.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** The ids of tokens by their bytes. Immutable. */
final class ByteTokens {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** One more than the number of the token, by hash; 0 where there is none. */
    private final int[] slots;

    private final int shift;
    /** The bytes of all tokens, one after the other. */
    private final byte[] bytes;
    /** The first byte of each token, and the end of the last one. */
    private final int[] starts;

    private final int[] ids;

    /**
     * Creates a table.
     *
     * @param tokens the bytes of each token, no two of them equal, with 2^31 - 1 bytes in all at most
     * @param ids the id of each token
     */
    ByteTokens(List<byte[]> tokens, int[] ids) {
        this.ids = ids;
        starts = new int[tokens.size() + 1];
        int bits = 64 - Long.numberOfLeadingZeros(2L * Math.max(4, tokens.size()));
        slots = new int[1 << bits];
        shift = 64 - bits;
        for (int i = 0; i < tokens.size(); i++) {
            starts[i + 1] = Math.addExact(starts[i], tokens.get(i).length);
        }
        bytes = new byte[starts[tokens.size()]];
        for (int i = 0; i < tokens.size(); i++) {
            byte[] token = tokens.get(i);
            System.arraycopy(token, 0, bytes, starts[i], token.length);
            int slot = (int) (hash(token, 0, token.length) >>> shift);
            while (slots[slot] != 0) {
                slot = (slot + 1) & (slots.length - 1);
            }
            slots[slot] = i + 1;
        }
    }

    /** Returns the id of the token that consists of some bytes; -1 when there is none. */
    int id(byte[] text, int from, int to) {
        int slot = (int) (hash(text, from, to) >>> shift);
        for (int token = slots[slot] - 1; token >= 0; token = slots[slot] - 1) {
            if (Arrays.equals(bytes, starts[token], starts[token + 1], text, from, to)) {
                return ids[token];
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        return -1;
    }

    /** Returns a hash of bytes, whose upper bits are the best. */
    private static long hash(byte[] text, int from, int to) {
        long hash = (long) to - from;
        for (int at = from; at < to; at += Long.BYTES) {
            hash = (hash ^ word(text, at, to)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash * 0xBF58476D1CE4E5B9L;
    }

    /** Returns up to eight bytes, the first one as the lowest byte, and zeros for those from {@code to} on. */
    static long word(byte[] text, int from, int to) {
        int missing = from + Long.BYTES - to;
        if (missing <= 0) {
            return (long) LONGS.get(text, from);
        }
        if (missing >= Long.BYTES) {
            return 0;
        }
        if (from + Long.BYTES <= text.length) {
            return (long) LONGS.get(text, from) & (-1L >>> (Byte.SIZE * missing));
        }
        long word = 0;
        for (int i = to - 1; i >= from; i--) {
            word = (word << Byte.SIZE) | (text[i] & 0xFF);
        }
        return word;
    }
}

package io.millrace.dataset.fields;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The check of bytes for being UTF-8 as Unicode defines it: shortest forms only, no surrogates, nothing above U+10FFFF.
 *
 * <p>Tested by {@code Utf8Test}.
 */
public final class Utf8 {
    private static final String ADVICE = "; convert it to UTF-8, for example with iconv";
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final byte[] REPLACEMENT = {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD};

    private Utf8() {}

    /** Returns the index of the first byte at or after {@code from} that begins no character; -1 if all bytes are UTF-8. */
    public static int firstBad(byte[] bytes, int from) {
        int at = from;
        while (at < bytes.length) {
            if (at + Long.BYTES <= bytes.length && ((long) LONGS.get(bytes, at) & HIGH_BITS) == 0) {
                at += Long.BYTES;
                continue;
            }
            int length = length(bytes, at);
            if (length <= 0) {
                return at;
            }
            at += length;
        }
        return -1;
    }

    /** Returns the number of bytes of the byte order mark at the beginning of a file: 3, or 0 if it has none. */
    public static int markBytes(byte[] start) {
        boolean marked =
                start.length >= 3 && start[0] == (byte) 0xEF && start[1] == (byte) 0xBB && start[2] == (byte) 0xBF;
        return marked ? 3 : 0;
    }

    /**
     * Returns the encoding of a file that begins as UTF-16 does, with a byte order mark or with every other byte 0, and what to do about
     * it; an empty text for all other files.
     */
    public static String otherEncoding(byte[] start) {
        int mark = start.length < 2 ? 0 : (start[0] & 0xFF) << Byte.SIZE | (start[1] & 0xFF);
        if (mark == 0xFFFE || mark == 0xFEFF) {
            return "UTF-16, by the first two bytes" + ADVICE;
        }
        boolean alternating = start.length >= 4
                && (start[0] == 0) != (start[1] == 0)
                && (start[0] == 0) == (start[2] == 0)
                && (start[1] == 0) == (start[3] == 0);
        return alternating ? "UTF-16, by the zeros in the first four bytes" + ADVICE : "";
    }

    /**
     * Returns the bytes with U+FFFD in place of each sequence that is no character. Sequences are divided as Unicode recommends and as
     * Python's {@code bytes.decode("utf-8", "replace")} divides them. Bytes that are UTF-8 are returned themselves.
     */
    public static byte[] replaced(byte[] bytes) {
        int bad = firstBad(bytes, 0);
        if (bad < 0) {
            return bytes;
        }
        byte[] out = new byte[Math.max(bytes.length, 16)];
        int used = 0;
        int done = 0;
        while (bad >= 0) {
            int needed = used + (bad - done) + REPLACEMENT.length;
            if (needed > out.length) {
                out = Arrays.copyOf(out, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(needed, out.length * 3L / 2)));
            }
            System.arraycopy(bytes, done, out, used, bad - done);
            used += bad - done;
            System.arraycopy(REPLACEMENT, 0, out, used, REPLACEMENT.length);
            used += REPLACEMENT.length;
            done = bad - length(bytes, bad);
            bad = firstBad(bytes, done);
        }
        byte[] whole = Arrays.copyOf(out, Math.addExact(used, bytes.length - done));
        System.arraycopy(bytes, done, whole, used, bytes.length - done);
        return whole;
    }

    /**
     * Returns the number of bytes of the character that begins at {@code at}. A negative number is that of the bytes that one U+FFFD
     * replaces: the beginning of a character up to the byte that cannot continue it, or one byte.
     */
    private static int length(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        if (first < 0x80) {
            return 1;
        }
        if (first < 0xC2 || first > 0xF4) {
            return -1;
        }
        int length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        // The second byte decides whether the form is the shortest, a surrogate, or above U+10FFFF.
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        for (int i = 1; i < length; i++) {
            int next = at + i < bytes.length ? bytes[at + i] & 0xFF : 0;
            if (next < least || next > most) {
                return -i;
            }
            least = 0x80;
            most = 0xBF;
        }
        return length;
    }
}

package io.millrace.dataset.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The text of a JSON string, from bytes to bytes. A parser would make characters of UTF-8, and then the characters UTF-8 again.
 *
 * <p>Tested by {@code JsonStringTest}.
 */
public final class JsonString {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final long BACKSLASHES = '\\' * ONES;
    private static final long QUOTES = '"' * ONES;
    private static final int HIGH = 0xD800;
    private static final int LOW = 0xDC00;
    private static final int AFTER = 0xE000;
    private static final int REPLACEMENT = 0xFFFD;
    private static final int HEX = 16;
    private static final int ESCAPE_BYTES = 6;

    private final byte[] json;
    private final boolean replacing;
    private final byte[] text;
    private int at;
    private int used;

    private JsonString(byte[] json, int from, int end, boolean replacing) {
        this.json = json;
        this.replacing = replacing;
        this.at = from;
        this.text = new byte[end - from]; // no escape is shorter than its character
    }

    /**
     * Returns the text of a string in UTF-8.
     *
     * @param json JSON in UTF-8, in which a parser has found this string
     * @param quote the index of the quote with which the string begins
     * @param replacing whether halves of surrogate pairs become U+FFFD
     * @return null when the string has half of a surrogate pair, and {@code replacing} is false
     */
    public static byte @Nullable [] utf8(byte[] json, int quote, boolean replacing) {
        int from = quote + 1;
        int end = end(json, from);
        if (next(json, from, end) == end) {
            return Arrays.copyOfRange(json, from, end);
        }
        JsonString string = new JsonString(json, from, end, replacing);
        return string.decode(end) ? Arrays.copyOf(string.text, string.used) : null;
    }

    private boolean decode(int end) {
        while (true) {
            int escape = next(json, at, end);
            System.arraycopy(json, at, text, used, escape - at);
            used += escape - at;
            at = escape;
            if (at == end) {
                return true;
            }
            byte kind = json[at + 1];
            if (kind != 'u') {
                text[used++] = (byte)
                        switch (kind) {
                            case 'b' -> '\b';
                            case 'f' -> '\f';
                            case 'n' -> '\n';
                            case 'r' -> '\r';
                            case 't' -> '\t';
                            default -> kind; // a quote, a slash or a backslash
                        };
                at += 2;
            } else if (!decodeUnit(end)) {
                return false;
            }
        }
    }

    /** Returns the index of the first backslash from {@code from} on; {@code end} if there is none. */
    private static int next(byte[] json, int from, int end) {
        int at = from;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long found = places((long) LONGS.get(json, at) ^ BACKSLASHES);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < end && json[at] != '\\') {
            at++;
        }
        return at;
    }

    /** Returns the index of the quote that ends a string. */
    private static int end(byte[] json, int from) {
        int at = from;
        while (at + Long.BYTES <= json.length) {
            long eight = (long) LONGS.get(json, at);
            long found = places(eight ^ BACKSLASHES) | places(eight ^ QUOTES);
            if (found == 0) {
                at += Long.BYTES;
                continue;
            }
            at += Long.numberOfTrailingZeros(found) >>> 3;
            if (json[at] == '"') {
                return at;
            }
            at += 2;
        }
        while (json[at] != '"') {
            at += json[at] == '\\' ? 2 : 1;
        }
        return at;
    }

    /** Returns a number whose lowest set bit is in the first byte that is 0 in {@code differing}; 0 if none is. */
    private static long places(long differing) {
        return (differing - ONES) & ~differing & HIGH_BITS;
    }

    /** Decodes an escape of four digits, or two of them that are a pair of surrogates. */
    private boolean decodeUnit(int end) {
        int point = unit(at);
        at += ESCAPE_BYTES;
        if (point >= HIGH && point < AFTER) {
            boolean pair = point < LOW && at + ESCAPE_BYTES <= end && json[at] == '\\' && json[at + 1] == 'u';
            int low = pair ? unit(at) : 0;
            if (low >= LOW && low < AFTER) {
                point = Character.toCodePoint((char) point, (char) low);
                at += ESCAPE_BYTES;
            } else if (replacing) {
                point = REPLACEMENT;
            } else {
                return false;
            }
        }
        put(point);
        return true;
    }

    private int unit(int escape) {
        int unit = 0;
        for (int digit = 2; digit < ESCAPE_BYTES; digit++) {
            unit = (unit << 4) | Character.digit(json[escape + digit], HEX);
        }
        return unit;
    }

    private void put(int point) {
        if (point < 0x80) {
            text[used++] = (byte) point;
        } else if (point < 0x800) {
            text[used++] = (byte) (0xC0 | (point >> 6));
            text[used++] = (byte) (0x80 | (point & 0x3F));
        } else if (point < 0x1_0000) {
            text[used++] = (byte) (0xE0 | (point >> 12));
            text[used++] = (byte) (0x80 | ((point >> 6) & 0x3F));
            text[used++] = (byte) (0x80 | (point & 0x3F));
        } else {
            text[used++] = (byte) (0xF0 | (point >> 18));
            text[used++] = (byte) (0x80 | ((point >> 12) & 0x3F));
            text[used++] = (byte) (0x80 | ((point >> 6) & 0x3F));
            text[used++] = (byte) (0x80 | (point & 0x3F));
        }
    }
}

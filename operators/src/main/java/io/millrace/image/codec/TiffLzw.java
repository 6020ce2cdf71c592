package io.millrace.image.codec;

/**
 * The codec of LZW (TIFF 6.0, section 13). Files from before 1988 store the bits of codes in the opposite order, and change the
 * width of codes one code later. They can be recognised by their first code.
 */
final class TiffLzw implements TiffCodec {
    private static final int CLEAR = 256;
    private static final int END = 257;
    private static final int FIRST = 258;
    private static final int FEWEST_BITS = 9;
    private static final int MOST_BITS = 12;
    private static final int STRINGS = 1 << MOST_BITS;
    /** Some encoders clear the table too late. As in libtiff, so many codes may follow without one that can be used. */
    private static final int MOST_CODES = 5119;

    private final short[] prefixes = new short[STRINGS];
    private final byte[] lasts = new byte[STRINGS];
    private final byte[] firsts = new byte[STRINGS];
    private final short[] lengths = new short[STRINGS];
    /** The rest of a string that did not fit into a row, at the end of this array. */
    private final byte[] pending = new byte[MOST_CODES + 1];

    private byte[] data = {};
    private int at;
    private int to;
    private boolean old;
    private int bits;
    private int buffer;
    private int buffered;
    /** The next code to define; 0 before the first clear code. */
    private int next;

    private int last;
    private int pendingAt = pending.length;

    TiffLzw() {
        for (int i = 0; i < CLEAR; i++) {
            lasts[i] = (byte) i;
            firsts[i] = (byte) i;
            lengths[i] = 1;
        }
    }

    @Override
    public void begin(byte[] bytes, int from, int end, int rows) {
        data = bytes;
        at = from;
        to = end;
        old = end - from >= 2 && bytes[from] == 0 && (bytes[from + 1] & 1) == 1;
        bits = FEWEST_BITS;
        buffer = 0;
        buffered = 0;
        next = 0;
        pendingAt = pending.length;
    }

    @Override
    public void read(byte[] row, int count) throws MalformedImageException {
        int filled = Math.min(count, pending.length - pendingAt);
        System.arraycopy(pending, pendingAt, row, 0, filled);
        pendingAt += filled;
        while (filled < count) {
            int code = code();
            if (code == CLEAR) {
                do {
                    next = FIRST;
                    bits = FEWEST_BITS;
                    code = code();
                } while (code == CLEAR);
                if (code == END) {
                    throw TiffCodec.tooShort(at);
                }
                if (code > END) {
                    throw unknown(code);
                }
            } else if (code == END) {
                throw TiffCodec.tooShort(at);
            } else {
                define(code);
            }
            last = code;
            int length = lengths[code];
            if (length <= count - filled) {
                expand(code, row, filled + length);
                filled += length;
            } else {
                expand(code, pending, pending.length);
                pendingAt = pending.length - length + count - filled;
                System.arraycopy(pending, pending.length - length, row, filled, count - filled);
                filled = count;
            }
        }
    }

    /** Defines the next code: the string of the last code, followed by the first byte of this code's string. */
    private void define(int code) throws MalformedImageException {
        if (next == 0 || next >= MOST_CODES || code > next) {
            throw unknown(code);
        }
        if (next < STRINGS) {
            prefixes[next] = (short) last;
            firsts[next] = firsts[last];
            lasts[next] = firsts[code == next ? last : code];
            lengths[next] = (short) (lengths[last] + 1);
        }
        next++;
        if (bits < MOST_BITS && next + (old ? 0 : 1) >= 1 << bits) {
            bits++;
        }
    }

    /** Writes the string of a code before index {@code end}. */
    private void expand(int code, byte[] target, int end) {
        int rest = code;
        int index = end;
        while (rest >= FIRST) {
            target[--index] = lasts[rest];
            rest = prefixes[rest];
        }
        target[--index] = (byte) rest;
    }

    private int code() throws MalformedImageException {
        while (buffered < bits) {
            if (at == to) {
                throw TiffCodec.tooShort(to);
            }
            int added = data[at++] & 255;
            buffer = old ? buffer | added << buffered : buffer << Byte.SIZE | added;
            buffered += Byte.SIZE;
        }
        buffered -= bits;
        int mask = (1 << bits) - 1;
        if (!old) {
            return buffer >>> buffered & mask;
        }
        int code = buffer & mask;
        buffer >>>= bits;
        return code;
    }

    private MalformedImageException unknown(int code) {
        return new MalformedImageException(
                at, "corrupt TIFF: expected a code of LZW that is defined, found " + code + " of " + next);
    }
}

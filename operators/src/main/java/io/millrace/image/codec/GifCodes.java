package io.millrace.image.codec;

/** A decoder of a GIF frame's variable-length codes (LZW, GIF89a appendix F). Its tables always have 20 KB. */
final class GifCodes {
    private static final int MOST_BITS = 12;
    /** More bits than an index needs. Pillow reads such files, and uses the lower bits. */
    private static final int MOST_INDEX_BITS = 11;

    private static final int MOST_CODES = 1 << MOST_BITS;

    private final HeaderBytes bytes;
    private final short[] prefixes = new short[MOST_CODES];
    private final byte[] suffixes = new byte[MOST_CODES];
    private final byte[] reversed = new byte[MOST_CODES];

    private long at;
    private int blockLeft;
    private int buffer;
    private int buffered;

    /** Creates a decoder. The byte at offset {@code at} holds the number of bits of an index, and the codes follow. */
    GifCodes(HeaderBytes bytes, long at) {
        this.bytes = bytes;
        this.at = at;
    }

    /**
     * Returns the first {@code count} indexes. Data after them is ignored.
     *
     * @throws MalformedImageException when there are fewer indexes, or a code is unknown
     */
    byte[] decode(int count) throws MalformedImageException {
        int indexBits = bytes.u8(at++, "the size of codes");
        if (indexBits < 1 || indexBits > MOST_INDEX_BITS) {
            throw new MalformedImageException(
                    at - 1, "corrupt GIF: expected indexes of 1 to " + MOST_INDEX_BITS + " bits, found " + indexBits);
        }
        byte[] indexes = new byte[count];
        int clear = 1 << indexBits;
        int bits = indexBits + 1;
        int next = clear + 2;
        int last = -1;
        int first = 0;
        int to = 0;
        while (to < count) {
            int code = code(bits);
            if (code == clear) {
                bits = indexBits + 1;
                next = clear + 2;
                last = -1;
                continue;
            }
            if (code == clear + 1) {
                throw new MalformedImageException(
                        at, "truncated GIF: expected " + count + " pixels in the first frame, found " + to);
            }
            if (last == -1 ? code > clear : code > Math.min(next, MOST_CODES - 1)) {
                throw new MalformedImageException(at, "corrupt GIF: expected a code up to " + next + ", found " + code);
            }
            int length = 0;
            int rest = code;
            if (code == next) { // the code stands for the string before it, followed by the first index of that string
                reversed[length++] = (byte) first;
                rest = last;
            }
            for (; rest >= clear; rest = prefixes[rest]) {
                reversed[length++] = suffixes[rest];
            }
            first = rest;
            reversed[length++] = (byte) first;
            while (length > 0 && to < count) {
                indexes[to++] = reversed[--length];
            }
            if (last != -1 && next < MOST_CODES) {
                prefixes[next] = (short) last;
                suffixes[next] = (byte) first;
                next++;
                if (next == 1 << bits && bits < MOST_BITS) {
                    bits++;
                }
            }
            last = code;
        }
        return indexes;
    }

    private int code(int bits) throws MalformedImageException {
        while (buffered < bits) {
            if (blockLeft == 0) {
                blockLeft = bytes.u8(at++, "a block of codes");
                if (blockLeft == 0) {
                    throw new MalformedImageException(
                            at - 1, "truncated GIF: expected more codes, found the end of the first frame");
                }
            }
            buffer |= bytes.u8(at++, "codes") << buffered;
            buffered += Byte.SIZE;
            blockLeft--;
        }
        int code = buffer & ((1 << bits) - 1);
        buffer >>>= bits;
        buffered -= bits;
        return code;
    }
}

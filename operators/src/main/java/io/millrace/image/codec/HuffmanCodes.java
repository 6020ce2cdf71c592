package io.millrace.image.codec;

import java.util.Arrays;

/**
 * A Huffman table of a JPEG for a walk over codes that does not keep values. It returns the number of bits of a code with
 * the value after it, and the number of coefficients that they stand for.
 *
 * <p>An entry is {@code coefficients << 6 | bits} (for DC, {@code value's bits << 6 | bits}), or 0 when no code begins with
 * the looked-up bits.
 */
final class HuffmanCodes {
    /** The number of bits of the lookup table. Longer codes, about one in a hundred, are searched. */
    private static final int FAST_BITS = 10;

    /** The number of coefficients of a code that ends the block. It stands for all remaining coefficients. */
    static final int END_OF_BLOCK = 128;

    static final int BITS_MASK = 63;
    static final int COEFFICIENTS_SHIFT = 6;

    private static final int LONGEST = 16;

    private final int[] fast = new int[1 << FAST_BITS];
    private final int[] entries = new int[256];
    private final int[] firstIndex = new int[LONGEST + 1];
    private final int[] firstCode = new int[LONGEST + 1];
    private final int[] endCode = new int[LONGEST + 1];

    /**
     * Reads a table of a DHT segment.
     *
     * @param at the offset of the 16 counts of codes by length
     * @param kind the kind of coefficients that the symbols of the table describe
     */
    static HuffmanCodes read(HeaderBytes bytes, long at, Kind kind) throws MalformedImageException {
        HuffmanCodes codes = new HuffmanCodes();
        int code = 0;
        int index = 0;
        for (int length = 1; length <= LONGEST; length++) {
            int count = bytes.u8(at + length - 1, "a Huffman table");
            codes.firstIndex[length] = index;
            codes.firstCode[length] = code;
            codes.endCode[length] = code + count;
            if (code + count > 1 << length || index + count > 256) {
                throw new MalformedImageException(
                        at,
                        "corrupt JPEG: expected a Huffman table, found more codes of " + length + " bits than exist");
            }
            for (int i = 0; i < count; i++, index++, code++) {
                int symbol = bytes.u8(at + LONGEST + index, "a Huffman table");
                codes.entries[index] = kind.entry(symbol, length);
                if (length <= FAST_BITS) {
                    int from = code << (FAST_BITS - length);
                    Arrays.fill(codes.fast, from, from + (1 << (FAST_BITS - length)), codes.entries[index]);
                }
            }
            code <<= 1;
        }
        return codes;
    }

    /** Returns the number of symbols of the table whose counts begin at offset {@code at}. */
    static int symbols(HeaderBytes bytes, long at) throws MalformedImageException {
        int symbols = 0;
        for (int i = 0; i < LONGEST; i++) {
            symbols += bytes.u8(at + i, "a Huffman table");
        }
        return symbols;
    }

    /** Returns the entry of the code at the upper end of {@code bits}; 0 when no code begins with them. */
    int entry(long bits) {
        int entry = fast[(int) (bits >>> (Long.SIZE - FAST_BITS))];
        return entry != 0 ? entry : search(bits);
    }

    private int search(long bits) {
        for (int length = FAST_BITS + 1; length <= LONGEST; length++) {
            int code = (int) (bits >>> (Long.SIZE - length));
            if (code >= firstCode[length] && code < endCode[length]) {
                return entries[firstIndex[length] + code - firstCode[length]];
            }
        }
        return 0;
    }

    /** The meaning of a table's symbols. */
    enum Kind {
        /** A symbol is the number of bits that follow; they hold a difference of DC values. */
        DC {
            @Override
            int entry(int symbol, int length) {
                // With 8 bits per channel no difference has more than 15 bits, so such a code is unknown.
                return symbol > 15 ? 0 : (symbol << COEFFICIENTS_SHIFT) | (length + symbol);
            }
        },
        /** A symbol holds a run of zeros in its upper half, and the number of bits that follow in its lower half. */
        AC {
            @Override
            int entry(int symbol, int length) {
                int run = symbol >> 4;
                int size = symbol & 15;
                int coefficients = size == 0 && run != 15 ? END_OF_BLOCK : run + 1;
                return (coefficients << COEFFICIENTS_SHIFT) | (length + size);
            }
        };

        abstract int entry(int symbol, int length);
    }
}

package io.millrace.image.codec;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** The codes of fax machines (ITU-T T.4 and T.6): the lengths of runs, and the ways in which a row differs from the row above. */
final class FaxCodes {
    /** The number of bits of the longest code. */
    static final int MOST_BITS = 13;

    /** The modes of a code that compares a row with the row above; a number up to 3 is a distance to the left or right. */
    static final int PASS = 10;

    static final int HORIZONTAL = 11;

    private static final int LEAST_MODE = -3;
    private static final int SPECIAL = 7;
    private static final int RUN_STEP = 64;

    /** The codes of white runs of 0 to 63 pixels, and of 64, 128, ... 1728 pixels. */
    private static final String WHITE = """
            00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010
            101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010
            00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010
            00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100
            00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100
            11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101
            011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011
            010011000 010011001 010011010 011000 010011011
            """;

    /** The codes of black runs of the same lengths. */
    private static final String BLACK = """
            0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000
            0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111
            00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010
            000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100
            000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100
            000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000
            000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111
            0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100
            0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011
            0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100
            0000001010101 0000001011010 0000001011011 0000001100100 0000001100101
            """;

    /** The codes of runs of 1792, 1856, ... 2560 pixels of both colours. */
    private static final String LONG = """
            00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110
            000000010111 000000011100 000000011101 000000011110 000000011111
            """;

    /** The codes of the distances -3 to 3, of passing, and of horizontal runs. */
    private static final String MODES = "0000010 000010 010 1 011 000011 0000011 0001 001";

    static final FaxCodes WHITES = new FaxCodes(WHITE + LONG, FaxCodes::run);
    static final FaxCodes BLACKS = new FaxCodes(BLACK + LONG, FaxCodes::run);
    static final FaxCodes DIFFERENCES = new FaxCodes(MODES, index -> switch (index - SPECIAL) {
        case 0 -> PASS;
        case 1 -> HORIZONTAL;
        default -> index + LEAST_MODE;
    });

    private final byte[] lengths = new byte[1 << MOST_BITS];
    private final short[] values = new short[1 << MOST_BITS];

    private FaxCodes(String codes, IntUnaryOperator value) {
        String[] all = codes.strip().split("\\s+", -1);
        for (int i = 0; i < all.length; i++) {
            int free = MOST_BITS - all[i].length();
            int first = Integer.parseInt(all[i], 2) << free;
            Arrays.fill(lengths, first, first + (1 << free), (byte) all[i].length());
            Arrays.fill(values, first, first + (1 << free), (short) value.applyAsInt(i));
        }
    }

    private static int run(int index) {
        return index < RUN_STEP ? index : RUN_STEP * (index - RUN_STEP + 1);
    }

    /** Returns the number of bits of the code at the beginning of the next {@link #MOST_BITS} bits; 0 for no code. */
    int length(int next) {
        return lengths[next];
    }

    /** Returns the value of the code at the beginning of the next {@link #MOST_BITS} bits. */
    int value(int next) {
        return values[next];
    }
}

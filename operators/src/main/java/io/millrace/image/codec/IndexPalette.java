package io.millrace.image.codec;

import java.util.Arrays;

/** Palettes of 256 colours, RGB, as Pillow completes them when fewer are stored. */
final class IndexPalette {
    private static final int BYTES = 3 * 256;

    private IndexPalette() {}

    /** Each index as a level of gray. */
    static byte[] gray() {
        byte[] palette = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            palette[i] = (byte) (i / 3);
        }
        return palette;
    }

    /** The stored colours, then black; but gray all the way where those stored are gray by their indexes. */
    static byte[] of(byte[] stored) {
        byte[] gray = gray();
        return Arrays.equals(stored, 0, stored.length, gray, 0, stored.length) ? gray : Arrays.copyOf(stored, BYTES);
    }
}

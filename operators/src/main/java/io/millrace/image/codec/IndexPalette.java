package io.millrace.image.codec;

import java.util.Arrays;

/** Palettes of 256 RGB colours. When a file stores fewer colours, the rest is filled in as Pillow does. */
final class IndexPalette {
    private static final int BYTES = 3 * 256;

    private IndexPalette() {}

    /** Returns a palette whose colours are gray levels equal to their index. */
    static byte[] gray() {
        byte[] palette = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            palette[i] = (byte) (i / 3);
        }
        return palette;
    }

    /**
     * Returns a palette of the stored colours, filled with black. When each stored colour is the gray level of its index,
     * the rest is gray in the same way.
     */
    static byte[] of(byte[] stored) {
        byte[] gray = gray();
        return Arrays.equals(stored, 0, stored.length, gray, 0, stored.length) ? gray : Arrays.copyOf(stored, BYTES);
    }
}

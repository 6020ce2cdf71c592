package io.millrace.image;

import io.millrace.sample.Field;

/** Changes of each value by itself, by torchvision's definitions, in the field's own array. Stateless. */
public final class PointOps {
    private PointOps() {}

    /** Black becomes white: {@code 255 - value}. */
    public static void invert(Field image) {
        byte[] pixels = image.data();
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) ~pixels[i];
        }
    }

    /**
     * Clears the low bits.
     *
     * @param bits how many high bits stay, 0 to 8
     */
    public static void posterize(Field image, int bits) {
        int mask = 0xff00 >> bits;
        byte[] pixels = image.data();
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (pixels[i] & mask);
        }
    }

    /**
     * Inverts what is bright.
     *
     * @param threshold the least value that is inverted; compared as a 32-bit float
     */
    public static void solarize(Field image, double threshold) {
        float least = (float) threshold;
        byte[] pixels = image.data();
        byte[] table = new byte[256];
        for (int value = 0; value < table.length; value++) {
            table[value] = (byte) (value >= least ? 255 - value : value);
        }
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = table[pixels[i] & 0xff];
        }
    }
}

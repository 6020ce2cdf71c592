package io.millrace.image;

import io.millrace.sample.Field;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Operations that change each value independently of the others, by torchvision's definitions, in the field's own
 * array. Stateless.
 */
public final class PointOps {
    /**
     * A view of eight bytes as one long. The compiler turns {@code ~} into vector code, but not an operation with a
     * mask whose value it cannot see.
     */
    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final long EIGHT_ONES = 0x0101_0101_0101_0101L;

    private PointOps() {}

    /** Inverts every value: {@code 255 - value}. */
    public static void invert(Field image) {
        byte[] pixels = image.data();
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) ~pixels[i];
        }
    }

    /**
     * Clears the low bits.
     *
     * @param image the image
     * @param bits the number of high bits that stay, 0 to 8
     */
    public static void posterize(Field image, int bits) {
        int mask = 0xff00 >> bits & 0xff;
        long masks = mask * EIGHT_ONES;
        byte[] pixels = image.data();
        int i = 0;
        for (; i <= pixels.length - Long.BYTES; i += Long.BYTES) {
            EIGHT_BYTES.set(pixels, i, (long) EIGHT_BYTES.get(pixels, i) & masks);
        }
        for (; i < pixels.length; i++) {
            pixels[i] = (byte) (pixels[i] & mask);
        }
    }

    /**
     * Inverts bright values.
     *
     * @param image the image
     * @param threshold the smallest value that is inverted; compared as a 32-bit float
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

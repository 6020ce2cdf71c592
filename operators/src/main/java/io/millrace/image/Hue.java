package io.millrace.image;

/**
 * Constants of turning a hue in HSV and back, after torchvision's {@code adjust_hue} on uint8 tensors.
 *
 * <p>With {@code v(x) = x * (1/255)} for bytes x, and M, n and m the largest, middle and smallest channel of a pixel:
 *
 * <pre>
 *     saturation = (v(M) - v(m)) / v(M)
 *     ratio      = (v(M) - v(n)) / (v(M) - v(m))
 *     hue        = fmod(((sign * ratio + first) + second) * (1/6) + 1, 1)
 *     six        = remainder(hue + turn, 1) * 6,   part = six - floor(six)
 *     even       = (saturation * part + (1 - saturation)) * v(M)
 *     odd        = (1 - saturation * part) * v(M)
 * </pre>
 *
 * <p>in 32-bit floats, each operation rounded. The sector {@code floor(six) mod 6} says which channel then holds M, which
 * m, and which {@code trunc(255.999 * clamp(even or odd, 0, 1))}. torchvision computes the outer two as well, by the
 * same formulas, and gets M and m for every pair of bytes. Gray pixels stay.
 */
final class Hue {
    /** {@code v}: bytes as parts of one. */
    static final float[] UNIT = new float[256];

    static {
        for (int value = 0; value < UNIT.length; value++) {
            UNIT[value] = value * (float) (1.0 / 255);
        }
    }

    static final float SIXTH = (float) (1.0 / 6);

    /** What takes parts of one back to bytes, before truncation. */
    static final float LEVELS = 255.999f;

    /**
     * By the order of the channels, {@code 4 * (r >= g) + 2 * (g >= b) + (b > r)}; the orders 0 and 7 do not happen. The
     * first of equal channels is the largest.
     */
    static final float[] SIGN = {0, 1, 1, -1, 1, -1, -1, 0};

    /** The number added first, by the order of the channels. */
    static final float[] FIRST = {0, 4, 2, 3, 0, 5, 1, 0};

    /** The number added second, by the order of the channels. */
    static final float[] SECOND = {0, -1, -1, 0, -1, 0, 0, 0};

    /** The channel that holds the largest value, by sector; sector 6 is 0 again. */
    static final int[] LARGEST = {0, 1, 1, 2, 2, 0, 0};

    /** The channel that holds the middle value, by sector. */
    static final int[] MIDDLE = {1, 0, 2, 1, 0, 2, 1};

    /** The channel that holds the smallest value, by sector. */
    static final int[] SMALLEST = {2, 2, 0, 0, 1, 1, 2};

    private Hue() {}
}

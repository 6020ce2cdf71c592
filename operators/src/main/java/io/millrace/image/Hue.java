package io.millrace.image;

/**
 * The constants of turning a hue in HSV and back, after torchvision's {@code adjust_hue} on uint8 tensors.
 *
 * <p>With {@code v(x) = x * (1/255)} for bytes x, and M, n and m the largest, middle and smallest channel of a pixel:
 * <pre>
 * saturation = (v(M) - v(m)) / v(M)
 * ratio      = (v(M) - v(n)) / (v(M) - v(m))
 * hue        = fmod(((sign * ratio + first) + second) * (1/6) + 1, 1)
 * six        = remainder(hue + turn, 1) * 6,   part = six - floor(six)
 * even       = (saturation * part + (1 - saturation)) * v(M)
 * odd        = (1 - saturation * part) * v(M)
 * </pre>
 *
 * <p>These are 32-bit floats, rounded after each operation. The sector {@code floor(six) mod 6} determines the channels
 * that then hold M, m and {@code trunc(255.999 * clamp(even or odd, 0, 1))}. torchvision also computes M and m by such
 * formulas, but the results are M and m again for every pair of bytes. Gray pixels stay unchanged.
 */
final class Hue {
    /** The values of {@code v}, which are bytes as fractions of one. */
    static final float[] UNIT = new float[256];

    static {
        for (int value = 0; value < UNIT.length; value++) {
            UNIT[value] = value * (float) (1.0 / 255);
        }
    }

    static final float SIXTH = (float) (1.0 / 6);

    /** The factor that turns fractions of one back into bytes, before truncation. */
    static final float LEVELS = 255.999f;

    /**
     * The sign, by the order of the channels. The number of the order is {@code 4 * (r >= g) + 2 * (g >= b) + (b > r)};
     * the orders 0 and 7 do not occur. If channels are equal, the first one counts as the largest.
     */
    static final float[] SIGN = {0, 1, 1, -1, 1, -1, -1, 0};

    /** The number added first, by the order of the channels. */
    static final float[] FIRST = {0, 4, 2, 3, 0, 5, 1, 0};

    /** The number added second, by the order of the channels. */
    static final float[] SECOND = {0, -1, -1, 0, -1, 0, 0, 0};

    /** The channel that holds the largest value, by sector; sector 6 equals sector 0. */
    static final int[] LARGEST = {0, 1, 1, 2, 2, 0, 0};

    /** The channel that holds the middle value, by sector. */
    static final int[] MIDDLE = {1, 0, 2, 1, 0, 2, 1};

    /** The channel that holds the smallest value, by sector. */
    static final int[] SMALLEST = {2, 2, 0, 0, 1, 1, 2};

    private Hue() {}
}

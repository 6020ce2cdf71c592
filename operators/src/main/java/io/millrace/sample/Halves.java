package io.millrace.sample;

/**
 * A conversion between floats and IEEE 754 half precision (1 sign, 5 exponent and 10 fraction bits). The JDK has these
 * conversions only from version 20 on. Stateless.
 */
public final class Halves {
    private static final int FRACTION_BITS = 10;

    /** The exponent of the smallest normal number, 2^-14. */
    private static final int LEAST_EXPONENT = -14;

    /** The number of bits by which a float's fraction is longer than a half's. */
    private static final int SPARE_BITS = 23 - FRACTION_BITS;

    /**
     * The bits of the float 2^16. This constant and the two below are compared with bits of floats without their sign.
     */
    private static final int TOO_LARGE = 0x4780_0000;

    private static final int LEAST_NORMAL = 0x3880_0000;
    private static final int FLOAT_INFINITY = 0x7f80_0000;

    /** The difference between a half's exponent field and a float's. */
    private static final int REBIAS = (15 - 127) << 23;

    private static final int INFINITY = 0x7c00;
    private static final int NAN = 0x7e00;

    /** The midpoint between the largest number, 65504, and the number that would follow it. */
    private static final double OVERFLOW = 65520;

    private Halves() {}

    /** Returns the value of the bits. The result is exact. */
    public static float toFloat(short bits) {
        int exponent = (bits >> FRACTION_BITS) & 31;
        int fraction = bits & ((1 << FRACTION_BITS) - 1);
        float magnitude;
        if (exponent == 31) {
            magnitude = fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
        } else if (exponent == 0) {
            magnitude = Math.scalb((float) fraction, LEAST_EXPONENT - FRACTION_BITS);
        } else {
            magnitude =
                    Math.scalb((float) (fraction | 1 << FRACTION_BITS), exponent - 1 + LEAST_EXPONENT - FRACTION_BITS);
        }
        return bits < 0 ? -magnitude : magnitude;
    }

    /**
     * Returns the bits of the nearest half, and of the even one when two are equally near. Values from 65520 on become
     * infinity.
     */
    public static short fromDouble(double value) {
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double magnitude = Math.abs(value);
        if (Double.isNaN(value)) {
            return (short) NAN;
        }
        if (magnitude >= OVERFLOW) {
            return (short) (sign | INFINITY);
        }
        // The value is counted in units of the last place. Rounding up to the next power of two carries into the
        // exponent, as it should.
        int exponent = Math.max(Math.getExponent(magnitude), LEAST_EXPONENT);
        int units = (int) Math.rint(Math.scalb(magnitude, FRACTION_BITS - exponent));
        return (short) (sign | (((exponent - LEAST_EXPONENT) << FRACTION_BITS) + units));
    }

    /**
     * Returns the bits of the nearest half. Where that half is a normal number, the conversion uses integer arithmetic
     * alone, which is fast for large arrays.
     */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = (bits >>> 16) & 0x8000;
        int magnitude = bits & 0x7fff_ffff;
        if (magnitude >= TOO_LARGE) {
            return (short) (magnitude > FLOAT_INFINITY ? NAN : sign | INFINITY);
        }
        if (magnitude < LEAST_NORMAL) {
            // Between 0.5 and 1, the last place of a float is 2^-24, which is also the last place of these small
            // halves. So the addition of 0.5 makes the CPU round the value to a half.
            float sum = Float.intBitsToFloat(magnitude) + 0.5f;
            return (short) (sign | (Float.floatToRawIntBits(sum) - Float.floatToRawIntBits(0.5f)));
        }
        // Adds just under half of the last place, and one more where that makes the result even.
        int odd = (magnitude >>> SPARE_BITS) & 1;
        return (short) (sign | ((magnitude + REBIAS + (1 << (SPARE_BITS - 1)) - 1 + odd) >>> SPARE_BITS));
    }
}

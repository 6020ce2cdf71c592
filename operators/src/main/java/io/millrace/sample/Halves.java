package io.millrace.sample;

/**
 * Conversion between floats and IEEE 754 half precision (1 sign, 5 exponent and 10 fraction bits). The JDK has these
 * conversions only from version 20 on. Stateless.
 */
public final class Halves {
    private static final int FRACTION_BITS = 10;

    /** The exponent of the smallest normal number, 2^-14. */
    private static final int LEAST_EXPONENT = -14;

    /** The number of bits by which a float's fraction is longer than a half's. */
    private static final int SPARE_BITS = 23 - FRACTION_BITS;

    /** Bits of floats without their sign: 2^16, 2^-14 and infinity. */
    private static final int TOO_LARGE = 0x4780_0000;

    private static final int LEAST_NORMAL = 0x3880_0000;
    private static final int FLOAT_INFINITY = 0x7f80_0000;

    /** The difference between a half's exponent field and a float's. */
    private static final int REBIAS = (15 - 127) << 23;

    private static final int INFINITY = 0x7c00;
    private static final int NO_NUMBER = 0x7e00;

    /** The middle between the largest number, 65504, and the number that would follow it. */
    private static final double OVERFLOW = 65520;

    private Halves() {}

    /** Returns the value of the bits. Every half is exactly a float. */
    public static float toFloat(short bits) {
        int exponent = (bits >> FRACTION_BITS) & 31;
        int fraction = bits & ((1 << FRACTION_BITS) - 1);
        float size;
        if (exponent == 31) {
            size = fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
        } else if (exponent == 0) {
            size = Math.scalb((float) fraction, LEAST_EXPONENT - FRACTION_BITS);
        } else {
            size = Math.scalb((float) (fraction | 1 << FRACTION_BITS), exponent - 1 + LEAST_EXPONENT - FRACTION_BITS);
        }
        return bits < 0 ? -size : size;
    }

    /**
     * Returns the bits of the nearest half, and of the even one when two are equally near. Values from 65520 on become
     * infinity.
     */
    public static short fromDouble(double value) {
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return (short) NO_NUMBER;
        }
        if (size >= OVERFLOW) {
            return (short) (sign | INFINITY);
        }
        // The value is counted in units of the last place. Rounding up to the next power of two carries into the
        // exponent, as it should.
        int exponent = Math.max(Math.getExponent(size), LEAST_EXPONENT);
        int units = (int) Math.rint(Math.scalb(size, FRACTION_BITS - exponent));
        return (short) (sign | (((exponent - LEAST_EXPONENT) << FRACTION_BITS) + units));
    }

    /**
     * Returns the bits of the nearest half. Where that half is a normal number, the conversion uses integer arithmetic
     * alone, which is fast for large arrays.
     */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = (bits >>> 16) & 0x8000;
        int size = bits & 0x7fff_ffff;
        if (size >= TOO_LARGE) {
            return (short) (size > FLOAT_INFINITY ? NO_NUMBER : sign | INFINITY);
        }
        if (size < LEAST_NORMAL) {
            // In a sum between 0.5 and 1 a float's last place is 2^-24, the same as that of these halves, so the CPU
            // does the rounding.
            float sum = Float.intBitsToFloat(size) + 0.5f;
            return (short) (sign | (Float.floatToRawIntBits(sum) - Float.floatToRawIntBits(0.5f)));
        }
        // Adds just under half of the last place, and one more where that makes the result even.
        int odd = (size >>> SPARE_BITS) & 1;
        return (short) (sign | ((size + REBIAS + (1 << (SPARE_BITS - 1)) - 1 + odd) >>> SPARE_BITS));
    }
}

package io.millrace.sample;

/** IEEE 754 half precision: 1 sign, 5 exponent and 10 fraction bits, which Java knows only from version 20 on. Stateless. */
public final class Halves {
    private static final int FRACTION_BITS = 10;

    /** The exponent of the smallest normal number, 2^-14. */
    private static final int LEAST_EXPONENT = -14;

    /** What is shifted out of a float's fraction. */
    private static final int SPARE_BITS = 23 - FRACTION_BITS;

    /** A float's bits without its sign: 2^16, 2^-14, and infinity. */
    private static final int TOO_LARGE = 0x4780_0000;

    private static final int LEAST_NORMAL = 0x3880_0000;
    private static final int FLOAT_INFINITY = 0x7f80_0000;

    /** From a float's exponent to a half's. */
    private static final int REBIAS = (15 - 127) << 23;

    private static final int INFINITY = 0x7c00;
    private static final int NO_NUMBER = 0x7e00;

    /** Half of the way from the largest number, 65504, to what would be the next. */
    private static final double OVERFLOW = 65520;

    private Halves() {}

    /** The number that the bits stand for; every half is a float. */
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

    /** The bits of the nearest half, of the even one of two; infinity from 65520 on. */
    public static short fromDouble(double value) {
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return (short) NO_NUMBER;
        }
        if (size >= OVERFLOW) {
            return (short) (sign | INFINITY);
        }
        // In units of the last place; rounding up to the next power of two carries into the exponent, as it should.
        int exponent = Math.max(Math.getExponent(size), LEAST_EXPONENT);
        int units = (int) Math.rint(Math.scalb(size, FRACTION_BITS - exponent));
        return (short) (sign | (((exponent - LEAST_EXPONENT) << FRACTION_BITS) + units));
    }

    /** The same for floats, without floating-point arithmetic where the half is a normal number: for many of them. */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = (bits >>> 16) & 0x8000;
        int size = bits & 0x7fff_ffff;
        if (size >= TOO_LARGE) {
            return (short) (size > FLOAT_INFINITY ? NO_NUMBER : sign | INFINITY);
        }
        if (size < LEAST_NORMAL) {
            // In a sum of 0.5 to 1 a float's last place is 2^-24, that of these halves: the processor rounds.
            float sum = Float.intBitsToFloat(size) + 0.5f;
            return (short) (sign | (Float.floatToRawIntBits(sum) - Float.floatToRawIntBits(0.5f)));
        }
        // Just under half of the last place, and one more where that makes it even.
        int odd = (size >>> SPARE_BITS) & 1;
        return (short) (sign | ((size + REBIAS + (1 << (SPARE_BITS - 1)) - 1 + odd) >>> SPARE_BITS));
    }
}

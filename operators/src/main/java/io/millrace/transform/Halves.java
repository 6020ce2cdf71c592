package io.millrace.transform;

/** IEEE 754 half precision: 1 sign, 5 exponent and 10 fraction bits, which Java knows only from version 20 on. */
final class Halves {
    private static final int FRACTION_BITS = 10;

    /** The exponent of the smallest normal number, 2^-14. */
    private static final int LEAST_EXPONENT = -14;

    private static final int INFINITY = 0x7c00;
    private static final int NO_NUMBER = 0x7e00;

    /** Half of the way from the largest number, 65504, to what would be the next. */
    private static final double OVERFLOW = 65520;

    private Halves() {}

    /** The number that the bits stand for; every half is a float. */
    static float toFloat(short bits) {
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
    static short fromDouble(double value) {
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
}

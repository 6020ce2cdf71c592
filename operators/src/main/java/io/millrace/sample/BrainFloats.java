package io.millrace.sample;

/**
 * A conversion between floats and bfloat16. A bfloat16 is the upper half of a float: it has the range of a float and 8
 * bits of precision. Values are rounded to the nearest bfloat16, and to the even one when two are equally near.
 * Stateless.
 */
public final class BrainFloats {
    private static final int FRACTION_BITS = 7;

    /** The exponent of the smallest normal number, 2^-126. */
    private static final int LEAST_EXPONENT = -126;

    /** The midpoint between the largest number, 255 * 2^120, and the number that would follow it. */
    private static final double OVERFLOW = 0x1.ffp127;

    private static final int INFINITY = 0x7f80;
    private static final int NAN = 0x7fc0;
    private static final int FLOAT_INFINITY = 0x7f80_0000;

    private BrainFloats() {}

    /** Returns the value of the bits. The result is exact. */
    public static float toFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /**
     * Returns the bits of the nearest bfloat16. Values at least half a step above the largest bfloat16 become infinity.
     */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        if ((bits & 0x7fff_ffff) > FLOAT_INFINITY) {
            return (short) NAN;
        }
        // Adds just under half of the last place, and one more where that makes the result even.
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }

    /**
     * Returns the bits of the nearest bfloat16. A double is rounded once; a conversion through a float would round
     * twice.
     */
    public static short fromDouble(double value) {
        if (Double.isNaN(value)) {
            return (short) NAN;
        }
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double magnitude = Math.abs(value);
        if (magnitude >= OVERFLOW) {
            return (short) (sign | INFINITY);
        }
        // The value is counted in units of the last place. Rounding up to the next power of two carries into the
        // exponent, as it should.
        int exponent = Math.max(Math.getExponent(magnitude), LEAST_EXPONENT);
        int units = (int) Math.rint(Math.scalb(magnitude, FRACTION_BITS - exponent));
        return (short) (sign | (((exponent - LEAST_EXPONENT) << FRACTION_BITS) + units));
    }
}

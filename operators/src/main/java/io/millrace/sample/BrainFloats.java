package io.millrace.sample;

/**
 * bfloat16: the upper 16 bits of a float, with its range and 8 bits of precision. Rounded to the nearest, of two to the
 * even one. Stateless.
 */
public final class BrainFloats {
    private static final int FRACTION_BITS = 7;

    /** The exponent of the smallest normal number, 2^-126. */
    private static final int LEAST_EXPONENT = -126;

    /** Half of the way from the largest number, 255 * 2^120, to what would be the next. */
    private static final double OVERFLOW = 0x1.ffp127;

    private static final int INFINITY = 0x7f80;
    private static final int NO_NUMBER = 0x7fc0;
    private static final int FLOAT_INFINITY = 0x7f80_0000;

    private BrainFloats() {}

    /** The number that the bits stand for; every one of them is a float. */
    public static float toFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /** The bits of the nearest; infinity from half a place above the largest on. */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        if ((bits & 0x7fff_ffff) > FLOAT_INFINITY) {
            return (short) NO_NUMBER;
        }
        // Just under half of the last place, and one more where that makes it even.
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }

    /** The same for doubles, rounded once: by way of a float it would be twice. */
    public static short fromDouble(double value) {
        if (Double.isNaN(value)) {
            return (short) NO_NUMBER;
        }
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double size = Math.abs(value);
        if (size >= OVERFLOW) {
            return (short) (sign | INFINITY);
        }
        // In units of the last place; rounding up to the next power of two carries into the exponent, as it should.
        int exponent = Math.max(Math.getExponent(size), LEAST_EXPONENT);
        int units = (int) Math.rint(Math.scalb(size, FRACTION_BITS - exponent));
        return (short) (sign | (((exponent - LEAST_EXPONENT) << FRACTION_BITS) + units));
    }
}

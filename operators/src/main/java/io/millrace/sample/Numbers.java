package io.millrace.sample;

import java.nio.ByteBuffer;

/**
 * The numbers in the bytes of a field, and their conversion from one element type to another. Floats become the nearest narrower
 * float, halves to even. The buffers have the byte order that their callers set, and places are counted in elements. Stateless.
 *
 * <p>Tested by {@code WireNumbersTest} and {@code CastTest}.
 */
public final class Numbers {
    /** All whole numbers up to this one are doubles. */
    private static final long EXACT_DOUBLES = 1L << 53;

    /** The treatment of numbers that the other type does not have. */
    public enum Policy {
        /**
         * PyTorch's conversion: whole numbers are truncated towards 0, and every bool that is not 0 is {@code true}. Numbers whose
         * result PyTorch leaves undefined do not fit: whole numbers out of range, NaN and infinity as whole numbers, and finite
         * floats that would round to infinity.
         */
        CAST,
        /** Whole numbers stay what they are, or do not fit, as do finite floats that would round to infinity. */
        EXACT,
        /** All numbers fit, because they come from a conversion that was {@link #EXACT}. */
        KNOWN
    }

    private Numbers() {}

    /**
     * Converts the first {@code count} numbers.
     *
     * @param values the numbers, of the type {@code from}
     * @param target memory for the converted numbers
     * @return -1, or the place of the first number that does not fit; the written bytes are then meaningless
     */
    public static int convert(ByteBuffer values, DType from, ByteBuffer target, DType to, int count, Policy policy) {
        if (!from.isFloat() && !to.isFloat()) {
            return convertWhole(values, from, target, to, count, policy);
        }
        for (int i = 0; i < count; i++) {
            boolean fits = from.isFloat()
                    ? put(real(values, from, i), target, to, i, policy)
                    : putFloat(whole(values, from, i), target, to, i, policy);
            if (!fits) {
                return i;
            }
        }
        return -1;
    }

    /** Most numbers take this way. It is small enough for the compiler to turn it into one loop for each pair of types. */
    private static int convertWhole(
            ByteBuffer values, DType from, ByteBuffer target, DType to, int count, Policy policy) {
        boolean truth = to == DType.BOOL && policy == Policy.CAST;
        for (int i = 0; i < count; i++) {
            long value = whole(values, from, i);
            if (!putWhole(truth && value != 0 ? 1 : value, target, to, i) && policy != Policy.KNOWN) {
                return i;
            }
        }
        return -1;
    }

    /** Returns a number as text. */
    public static String describe(ByteBuffer values, DType type, int i) {
        return type.isFloat() ? String.valueOf(real(values, type, i)) : String.valueOf(whole(values, type, i));
    }

    /** Returns a number of a float type. */
    public static double real(ByteBuffer values, DType type, int i) {
        return switch (type) {
            case FLOAT16 -> Halves.toFloat(values.getShort(i << 1));
            case BFLOAT16 -> BrainFloats.toFloat(values.getShort(i << 1));
            case FLOAT32 -> values.getFloat(i << 2);
            case FLOAT64 -> values.getDouble(i << 3);
            default -> throw new IllegalArgumentException(type + " is no float");
        };
    }

    /** Returns a number of a type of whole numbers; a bool is 0 to 255. */
    public static long whole(ByteBuffer values, DType type, int i) {
        return switch (type) {
            case UINT8, BOOL -> values.get(i) & 255;
            case INT8 -> values.get(i);
            case INT16 -> values.getShort(i << 1);
            case UINT16 -> values.getShort(i << 1) & 0xffff;
            case INT32 -> values.getInt(i << 2);
            case INT64 -> values.getLong(i << 3);
            default -> throw new IllegalArgumentException(type + " is no whole number");
        };
    }

    private static boolean put(double value, ByteBuffer target, DType to, int i, Policy policy) {
        switch (to) {
            case FLOAT64 -> {
                target.putDouble(i << 3, value);
                return true;
            }
            case FLOAT32 -> {
                float near = (float) value;
                target.putFloat(i << 2, near);
                return !Float.isInfinite(near) || Double.isInfinite(value) || policy == Policy.KNOWN;
            }
            case FLOAT16 -> {
                short near = Halves.fromDouble(value);
                target.putShort(i << 1, near);
                return !Float.isInfinite(Halves.toFloat(near)) || Double.isInfinite(value) || policy == Policy.KNOWN;
            }
            case BFLOAT16 -> {
                short near = BrainFloats.fromDouble(value);
                target.putShort(i << 1, near);
                return !Float.isInfinite(BrainFloats.toFloat(near))
                        || Double.isInfinite(value)
                        || policy == Policy.KNOWN;
            }
            default -> {
                if (to == DType.BOOL && policy == Policy.CAST) {
                    target.put(i, (byte) (value == 0 ? 0 : 1));
                    return true;
                }
                // 2^63 is the first double that is too large for a long. NaN is not equal to anything.
                boolean isLong = value >= -0x1p63 && value < 0x1p63;
                boolean fits = isLong && (policy == Policy.CAST || value == Math.rint(value));
                return (putWhole((long) value, target, to, i) && fits) || policy == Policy.KNOWN;
            }
        }
    }

    private static boolean putWhole(long value, ByteBuffer target, DType to, int i) {
        switch (to) {
            case UINT8 -> {
                target.put(i, (byte) value);
                return value >= 0 && value <= 255;
            }
            case BOOL -> {
                target.put(i, (byte) value);
                return value == 0 || value == 1;
            }
            case INT8 -> {
                target.put(i, (byte) value);
                return value == (byte) value;
            }
            case INT16 -> {
                target.putShort(i << 1, (short) value);
                return value == (short) value;
            }
            case UINT16 -> {
                target.putShort(i << 1, (short) value);
                return value >= 0 && value <= 0xffff;
            }
            case INT32 -> {
                target.putInt(i << 2, (int) value);
                return value == (int) value;
            }
            case INT64 -> {
                target.putLong(i << 3, value);
                return true;
            }
            default -> throw new IllegalArgumentException("numbers cannot become " + to);
        }
    }

    private static boolean putFloat(long value, ByteBuffer target, DType to, int i, Policy policy) {
        boolean fits = true;
        if (to == DType.FLOAT32) {
            target.putFloat(i << 2, (float) value); // by way of a double it would be rounded twice
        } else {
            fits = put((double) value, target, to, i, policy);
        }
        return fits && isExact(value, target, to, i, policy);
    }

    private static boolean isExact(long value, ByteBuffer target, DType to, int i, Policy policy) {
        return policy != Policy.EXACT || (Math.abs(value) <= EXACT_DOUBLES && real(target, to, i) == value);
    }
}

package io.millrace.batch;

import io.millrace.sample.BrainFloats;
import io.millrace.sample.DType;
import io.millrace.sample.Halves;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The conversion of numbers from the element type of samples to the wire type. Floats become the nearest narrower
 * float, ties to even. All other numbers are converted exactly or refused, so that whole numbers, truth values and
 * floats in {@code uint8} are the same after the transfer. A finite float that would round to infinity is refused as
 * well. Stateless.
 */
final class WireNumbers {
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int SIZE = 0x7fff_ffff;
    private static final int FLOAT_INFINITY = 0x7f80_0000;
    private static final int HALF_INFINITY = 0x7c00;
    private static final int BRAIN_INFINITY = 0x7f80;

    /** All whole numbers up to this one are doubles. */
    private static final long EXACT = 1L << 53;

    private WireNumbers() {}

    /**
     * Converts all numbers.
     *
     * @param values the numbers, little-endian
     * @param from the element type of {@code values}
     * @param target the array for the converted numbers, little-endian and long enough
     * @param to the wire type
     * @return -1, or the index of the first number that does not fit; the written bytes are then meaningless
     */
    static int convert(byte[] values, DType from, byte[] target, DType to) {
        int count = values.length / from.bytes();
        if (from == DType.FLOAT32 && to == DType.FLOAT16) {
            return toHalves(values, target, count);
        }
        if (from == DType.FLOAT32 && to == DType.BFLOAT16) {
            return toBrainFloats(values, target, count);
        }
        for (int i = 0; i < count; i++) {
            boolean fits = from.isFloat()
                    ? put(real(values, from, i), target, to, i)
                    : put(whole(values, from, i), target, to, i);
            if (!fits) {
                return i;
            }
        }
        return -1;
    }

    /** Returns a number as text. */
    static String describe(byte[] values, DType type, int at) {
        return type.isFloat() ? String.valueOf(real(values, type, at)) : String.valueOf(whole(values, type, at));
    }

    private static int toHalves(byte[] values, byte[] target, int count) {
        for (int i = 0; i < count; i++) {
            int bits = (int) INTS.get(values, i << 2);
            short half = Halves.fromFloat(Float.intBitsToFloat(bits));
            if ((half & 0x7fff) == HALF_INFINITY && (bits & SIZE) != FLOAT_INFINITY) {
                return i;
            }
            SHORTS.set(target, i << 1, half);
        }
        return -1;
    }

    private static int toBrainFloats(byte[] values, byte[] target, int count) {
        for (int i = 0; i < count; i++) {
            int bits = (int) INTS.get(values, i << 2);
            short brain = BrainFloats.fromFloat(Float.intBitsToFloat(bits));
            if ((brain & 0x7fff) == BRAIN_INFINITY && (bits & SIZE) != FLOAT_INFINITY) {
                return i;
            }
            SHORTS.set(target, i << 1, brain);
        }
        return -1;
    }

    private static double real(byte[] values, DType type, int i) {
        return switch (type) {
            case FLOAT16 -> Halves.toFloat((short) SHORTS.get(values, i << 1));
            case BFLOAT16 -> BrainFloats.toFloat((short) SHORTS.get(values, i << 1));
            case FLOAT32 -> Float.intBitsToFloat((int) INTS.get(values, i << 2));
            default -> Double.longBitsToDouble((long) LONGS.get(values, i << 3));
        };
    }

    private static long whole(byte[] values, DType type, int i) {
        return switch (type) {
            case INT8 -> values[i];
            case INT16 -> (short) SHORTS.get(values, i << 1);
            case UINT16 -> (short) SHORTS.get(values, i << 1) & 0xffff;
            case INT32 -> (int) INTS.get(values, i << 2);
            case INT64 -> (long) LONGS.get(values, i << 3);
            default -> values[i] & 255;
        };
    }

    private static boolean put(double value, byte[] target, DType to, int i) {
        switch (to) {
            case FLOAT64 -> LONGS.set(target, i << 3, Double.doubleToRawLongBits(value));
            case FLOAT32 -> {
                float near = (float) value;
                INTS.set(target, i << 2, Float.floatToRawIntBits(near));
                return !Float.isInfinite(near) || Double.isInfinite(value);
            }
            case FLOAT16 -> {
                short near = Halves.fromDouble(value);
                SHORTS.set(target, i << 1, near);
                return (near & 0x7fff) != HALF_INFINITY || Double.isInfinite(value);
            }
            case BFLOAT16 -> {
                short near = BrainFloats.fromDouble(value);
                SHORTS.set(target, i << 1, near);
                return (near & 0x7fff) != BRAIN_INFINITY || Double.isInfinite(value);
            }
            default -> {
                // 2^63 is the first double that is too large for a long. NaN is not equal to anything.
                return value == Math.rint(value)
                        && value >= -0x1p63
                        && value < 0x1p63
                        && put((long) value, target, to, i);
            }
        }
        return true;
    }

    private static boolean put(long value, byte[] target, DType to, int i) {
        switch (to) {
            case UINT8 -> {
                target[i] = (byte) value;
                return value >= 0 && value <= 255;
            }
            case BOOL -> {
                target[i] = (byte) value;
                return value == 0 || value == 1;
            }
            case INT8 -> {
                target[i] = (byte) value;
                return value == (byte) value;
            }
            case INT16 -> {
                SHORTS.set(target, i << 1, (short) value);
                return value == (short) value;
            }
            case UINT16 -> {
                SHORTS.set(target, i << 1, (short) value);
                return value >= 0 && value <= 65535;
            }
            case INT32 -> {
                INTS.set(target, i << 2, (int) value);
                return value == (int) value;
            }
            case INT64 -> {
                LONGS.set(target, i << 3, value);
                return true;
            }
            default -> {
                boolean written = put((double) value, target, to, i);
                return written && Math.abs(value) <= EXACT && real(target, to, i) == value;
            }
        }
    }
}

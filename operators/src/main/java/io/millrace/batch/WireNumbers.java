package io.millrace.batch;

import io.millrace.sample.BrainFloats;
import io.millrace.sample.DType;
import io.millrace.sample.Halves;
import io.millrace.sample.Numbers;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The conversion of numbers from the element type of samples to the wire type, by {@link Numbers.Policy#EXACT}, so that whole
 * numbers, truth values and floats in {@code uint8} are the same after the transfer. Stateless.
 */
final class WireNumbers {
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int SIZE = 0x7fff_ffff;
    private static final int FLOAT_INFINITY = 0x7f80_0000;
    private static final int HALF_INFINITY = 0x7c00;
    private static final int BRAIN_INFINITY = 0x7f80;

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
        return Numbers.convert(buffer(values), from, buffer(target), to, count, Numbers.Policy.EXACT);
    }

    /** Returns a number as text. */
    static String describe(byte[] values, DType type, int at) {
        return Numbers.describe(buffer(values), type, at);
    }

    private static ByteBuffer buffer(byte[] numbers) {
        return ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN);
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
}

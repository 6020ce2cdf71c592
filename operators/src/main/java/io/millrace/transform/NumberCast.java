package io.millrace.transform;

import io.millrace.sample.BrainFloats;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Halves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The conversion of numbers from one element type to another. It follows PyTorch's rules where PyTorch defines a
 * result: the nearest float (halves to even), whole numbers truncated towards 0, and {@code true} for every bool that
 * is not 0. Numbers whose result PyTorch leaves undefined are refused: whole numbers out of range, NaN and infinity as
 * whole numbers, and finite floats that would round to infinity. Stateless.
 */
final class NumberCast {
    private NumberCast() {}

    /** The exception for a number that the other type cannot represent. */
    static final class OutOfRangeException extends Exception {
        private static final long serialVersionUID = 1;

        OutOfRangeException(String value, int index, DType to) {
            super("found " + value + " at index " + index + ", which " + to.word() + " cannot hold");
        }
    }

    /**
     * Converts the elements of a field and keeps its shape and kind.
     *
     * @throws OutOfRangeException for the first number that does not fit
     */
    static Field cast(Field field, DType to) throws OutOfRangeException {
        DType from = field.dtype();
        if (from == to) {
            return field;
        }
        int count = field.data().length / from.bytes();
        ByteBuffer in = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        byte[] result = new byte[Math.multiplyExact(count, to.bytes())];
        ByteBuffer out = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN);
        if (from == DType.UINT8 && to == DType.FLOAT32) {
            for (int i = 0; i < count; i++) {
                out.putFloat(i << 2, field.data()[i] & 255);
            }
        } else if (from.isFloat()) {
            for (int i = 0; i < count; i++) {
                write(real(in, from, i), i, to, out);
            }
        } else {
            for (int i = 0; i < count; i++) {
                write(whole(in, from, i), i, to, out);
            }
        }
        return Field.of(to, field.shape(), result).as(field.kind());
    }

    private static double real(ByteBuffer in, DType type, int i) {
        return switch (type) {
            case FLOAT16 -> Halves.toFloat(in.getShort(i << 1));
            case BFLOAT16 -> BrainFloats.toFloat(in.getShort(i << 1));
            case FLOAT32 -> in.getFloat(i << 2);
            default -> in.getDouble(i << 3);
        };
    }

    private static long whole(ByteBuffer in, DType type, int i) {
        return switch (type) {
            case INT8 -> in.get(i);
            case INT16 -> in.getShort(i << 1);
            case UINT16 -> in.getShort(i << 1) & 0xffff;
            case INT32 -> in.getInt(i << 2);
            case INT64 -> in.getLong(i << 3);
            default -> in.get(i) & 255;
        };
    }

    private static void write(double value, int i, DType to, ByteBuffer out) throws OutOfRangeException {
        switch (to) {
            case FLOAT64 -> out.putDouble(i << 3, value);
            case FLOAT32 -> {
                float near = (float) value;
                requireFinite(value, Float.isInfinite(near), i, to);
                out.putFloat(i << 2, near);
            }
            case FLOAT16 -> {
                short near = Halves.fromDouble(value);
                requireFinite(value, Float.isInfinite(Halves.toFloat(near)), i, to);
                out.putShort(i << 1, near);
            }
            case BFLOAT16 -> {
                short near = BrainFloats.fromDouble(value);
                requireFinite(value, Float.isInfinite(BrainFloats.toFloat(near)), i, to);
                out.putShort(i << 1, near);
            }
            case BOOL -> out.put(i, (byte) (value == 0 ? 0 : 1));
            default -> {
                // 2^63 is the first double that a long cannot hold.
                if (!(value >= -0x1p63 && value < 0x1p63)) {
                    throw new OutOfRangeException(String.valueOf(value), i, to);
                }
                write((long) value, i, to, out);
            }
        }
    }

    private static void requireFinite(double value, boolean infinite, int i, DType to) throws OutOfRangeException {
        if (infinite && Double.isFinite(value)) {
            throw new OutOfRangeException(String.valueOf(value), i, to);
        }
    }

    private static void write(long value, int i, DType to, ByteBuffer out) throws OutOfRangeException {
        switch (to) {
            case UINT8 -> out.put(i, (byte) within(value, 0, 255, i, to));
            case INT8 -> out.put(i, (byte) within(value, Byte.MIN_VALUE, Byte.MAX_VALUE, i, to));
            case INT16 -> out.putShort(i << 1, (short) within(value, Short.MIN_VALUE, Short.MAX_VALUE, i, to));
            case UINT16 -> out.putShort(i << 1, (short) within(value, 0, 65535, i, to));
            case INT32 -> out.putInt(i << 2, (int) within(value, Integer.MIN_VALUE, Integer.MAX_VALUE, i, to));
            case INT64 -> out.putLong(i << 3, value);
            case BOOL -> out.put(i, (byte) (value == 0 ? 0 : 1));
            // A conversion by way of a double would round twice.
            case FLOAT32 -> out.putFloat(i << 2, (float) value);
            case FLOAT64 -> out.putDouble(i << 3, (double) value);
            case FLOAT16, BFLOAT16 -> write((double) value, i, to, out);
            case ENCODED -> throw new IllegalArgumentException("numbers cannot be cast to encoded bytes");
        }
    }

    private static long within(long value, long least, long most, int i, DType to) throws OutOfRangeException {
        if (value < least || value > most) {
            throw new OutOfRangeException(String.valueOf(value), i, to);
        }
        return value;
    }
}

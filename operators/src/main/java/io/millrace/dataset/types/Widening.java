package io.millrace.dataset.types;

import io.millrace.sample.BrainFloats;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Halves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of numbers to the element type of other samples. Whole numbers become floats where floats are, narrow types become
 * wider ones, and truth values 0 and 1 where numbers are. Whole numbers become the nearest float64, as in Python; all other
 * conversions are exact or refused. Stateless.
 *
 * <p>Tested by {@code TypeVotesTest}.
 */
public final class Widening {
    private Widening() {}

    /**
     * Returns the narrowest type of those found, or one that is wider than them, to which all of them can be converted. It is the type
     * to which torch promotes them.
     */
    public static DType common(Collection<DType> found) {
        DType widest = null;
        boolean floats = found.stream().anyMatch(DType::isFloat);
        for (DType dtype : found) {
            if (widest == null || widest == DType.BOOL || (floats && !widest.isFloat())) {
                widest = dtype;
            } else if (dtype != widest && dtype != DType.BOOL && dtype.isFloat() == floats) {
                widest = floats ? wider(widest, dtype) : whole(widest, dtype);
            }
        }
        if (widest == null) {
            throw new IllegalArgumentException("expected a type");
        }
        return widest;
    }

    private static DType wider(DType one, DType other) {
        if (one.bytes() == other.bytes()) {
            return DType.FLOAT32; // float16 and bfloat16
        }
        return one.bytes() > other.bytes() ? one : other;
    }

    /** Returns the narrowest type of whole numbers that holds those of two types. */
    private static DType whole(DType one, DType other) {
        boolean signed = isSigned(one) || isSigned(other);
        int bytes = Math.max(bytes(one, signed), bytes(other, signed));
        return switch (bytes) {
            case 1 -> signed ? DType.INT8 : DType.UINT8;
            case 2 -> signed ? DType.INT16 : DType.UINT16;
            case 4 -> DType.INT32;
            default -> DType.INT64;
        };
    }

    private static boolean isSigned(DType dtype) {
        return dtype != DType.UINT8 && dtype != DType.UINT16;
    }

    /** Returns the bytes of the type that holds the numbers of a type, and negative numbers too if {@code signed}. */
    private static int bytes(DType dtype, boolean signed) {
        return signed && !isSigned(dtype) ? 2 * dtype.bytes() : dtype.bytes();
    }

    /** Returns the same numbers with an element type, or null when there is no such conversion. */
    public static @Nullable Field of(Field field, DType to) {
        DType from = field.dtype();
        if (from == to) {
            return field;
        }
        boolean numbers = isNumber(from) && isNumber(to);
        boolean wider = to != DType.BOOL && isWider(from, to);
        if (!numbers || !wider) {
            return null;
        }
        ByteBuffer values = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        int count = values.capacity() / from.bytes();
        ByteBuffer wide = ByteBuffer.allocate(count * to.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            boolean fits = from.isFloat()
                    ? put(wide, to, real(values, from, i))
                    : put(wide, to, whole(values, from, i * from.bytes()));
            if (!fits) {
                return null;
            }
        }
        return Field.of(to, field.shape().clone(), wide.array())
                .as(field.kind())
                .annotated(field.annotation());
    }

    private static boolean isWider(DType from, DType to) {
        if (from == DType.BOOL) {
            return true;
        }
        return from.isFloat()
                ? to.isFloat() && to.bytes() > from.bytes()
                : to.isFloat() || ((isSigned(to) || !isSigned(from)) && to.bytes() >= bytes(from, isSigned(to)));
    }

    /** Returns whether the elements of a type are numbers or truth values, which torch promotes, too. */
    public static boolean isNumber(DType dtype) {
        return dtype != DType.ENCODED;
    }

    private static long whole(ByteBuffer values, DType dtype, int at) {
        return switch (dtype) {
            case UINT8, BOOL -> values.get(at) & 0xFF;
            case INT8 -> values.get(at);
            case INT16 -> values.getShort(at);
            case UINT16 -> values.getShort(at) & 0xFFFF;
            case INT32 -> values.getInt(at);
            default -> values.getLong(at);
        };
    }

    private static double real(ByteBuffer values, DType dtype, int i) {
        int at = i * dtype.bytes();
        return switch (dtype) {
            case FLOAT16 -> Halves.toFloat(values.getShort(at));
            case BFLOAT16 -> BrainFloats.toFloat(values.getShort(at));
            case FLOAT32 -> values.getFloat(at);
            default -> values.getDouble(at);
        };
    }

    /** Appends a float, which every wider type holds. */
    private static boolean put(ByteBuffer to, DType dtype, double value) {
        if (dtype == DType.FLOAT32) {
            to.putFloat((float) value);
        } else {
            to.putDouble(value);
        }
        return true;
    }

    /**
     * Appends a whole number, which every wider type of whole numbers holds; returns false when a float of fewer bits than float64
     * does not hold it.
     */
    private static boolean put(ByteBuffer to, DType dtype, long value) {
        switch (dtype) {
            case INT8, UINT8 -> to.put((byte) value);
            case INT16, UINT16 -> to.putShort((short) value);
            case INT32 -> to.putInt((int) value);
            case INT64 -> to.putLong(value);
            case FLOAT64 -> to.putDouble((double) value);
            case FLOAT32 -> {
                to.putFloat((float) value);
                return isSame((float) value, value);
            }
            case FLOAT16 -> {
                short half = Halves.fromDouble((double) value);
                to.putShort(half);
                return isSame(Halves.toFloat(half), value);
            }
            default -> {
                short brain = BrainFloats.fromDouble((double) value);
                to.putShort(brain);
                return isSame(BrainFloats.toFloat(brain), value);
            }
        }
        return true;
    }

    /** Returns whether a float is a whole number. The largest long is no float, and a cast of 2^63 would give it. */
    private static boolean isSame(float stored, long value) {
        return stored < 0x1p63f && (long) stored == value;
    }
}

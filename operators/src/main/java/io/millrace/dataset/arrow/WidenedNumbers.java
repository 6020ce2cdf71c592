package io.millrace.dataset.arrow;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.function.Function;

/** Conversion of unsigned numbers of 32 and 64 bits to the signed 64-bit numbers of fields. */
final class WidenedNumbers {
    private WidenedNumbers() {}

    /** Returns whether the stored elements are the elements of the field, without a conversion or a check. */
    static boolean keeps(IpcField field) {
        return !field.type().startsWith("UInt") || field.dtype() != DType.INT64;
    }

    /** Returns the number of a field that was read as a signed number. Numbers from 2^63 stay negative. */
    static long of(IpcField field, long signed) {
        return switch (Objects.requireNonNull(field.dtype())) {
            case UINT8 -> signed & 0xFF;
            case UINT16 -> signed & 0xFFFF;
            case INT64 -> field.width() == Integer.BYTES ? signed & 0xFFFF_FFFFL : signed;
            default -> signed;
        };
    }

    /** Takes ownership of {@code stored} and returns the elements of a field in the type {@link IpcField#dtype}. */
    static byte[] of(IpcField field, byte[] stored, Function<String, BadSampleException> badSample)
            throws BadSampleException {
        if (keeps(field)) {
            return stored;
        }
        ByteBuffer from = ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN);
        if (field.width() == Long.BYTES) {
            while (from.hasRemaining()) {
                if (from.getLong() < 0) {
                    throw badSample.apply("expected numbers below 2^63, found a larger one");
                }
            }
            return stored;
        }
        ByteBuffer to =
                ByteBuffer.allocate(Math.multiplyExact(stored.length, 2)).order(ByteOrder.LITTLE_ENDIAN);
        while (from.hasRemaining()) {
            to.putLong(Integer.toUnsignedLong(from.getInt()));
        }
        return to.array();
    }
}

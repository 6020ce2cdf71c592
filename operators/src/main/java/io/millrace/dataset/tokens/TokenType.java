package io.millrace.dataset.tokens;

import io.millrace.sample.DType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Optional;

/** The type of the ids in a file, little-endian. An id is a number from 0 to 2^31 - 1, whatever its type could hold. */
enum TokenType {
    UINT8(1),
    INT8(1),
    INT16(2),
    INT32(4),
    INT64(8),
    UINT16(2),
    UINT32(4);

    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final int bytes;

    TokenType(int bytes) {
        this.bytes = bytes;
    }

    /** Returns the bytes of an id in the file. */
    int bytes() {
        return bytes;
    }

    /** Returns the name as NumPy writes it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the type of the elements of a .npy file; empty for numbers that are no ids.
     *
     * @param dtype the type of a field of these elements
     * @param bytes the bytes of an element in the file
     */
    static Optional<TokenType> of(DType dtype, int bytes) {
        return Optional.ofNullable(
                switch (dtype) {
                    case UINT8 -> UINT8;
                    case INT8 -> INT8;
                    case INT16 -> INT16;
                    case UINT16 -> UINT16;
                    case INT32 -> INT32;
                    case INT64 -> bytes == Integer.BYTES ? UINT32 : INT64;
                    case ENCODED, BOOL, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> null;
                });
    }

    /** Returns the id that begins at an offset of an array; it may be out of the range of ids. */
    long at(byte[] stored, int offset) {
        return switch (this) {
            case UINT8 -> stored[offset] & 0xFF;
            case INT8 -> stored[offset];
            case INT16 -> (short) SHORTS.get(stored, offset);
            case UINT16 -> (short) SHORTS.get(stored, offset) & 0xFFFF;
            case INT32 -> (int) INTS.get(stored, offset);
            case UINT32 -> (int) INTS.get(stored, offset) & 0xFFFF_FFFFL;
            case INT64 -> (long) LONGS.get(stored, offset);
        };
    }

    /**
     * Writes ids as int32, little-endian.
     *
     * @param ids the array that receives the ids
     * @param from the number of the first id in {@code ids}
     * @return the number within {@code stored} of the first value that is no id; -1 if all are ids
     */
    int widen(byte[] stored, byte[] ids, int from) {
        int count = stored.length / bytes;
        long seen = 0;
        for (int i = 0; i < count; i++) {
            long id = at(stored, i * bytes);
            seen |= id;
            INTS.set(ids, (from + i) * Integer.BYTES, (int) id);
        }
        return seen >= 0 && seen <= Integer.MAX_VALUE ? -1 : firstBad(stored, count);
    }

    private int firstBad(byte[] stored, int count) {
        for (int i = 0; i < count; i++) {
            long id = at(stored, i * bytes);
            if (id < 0 || id > Integer.MAX_VALUE) {
                return i;
            }
        }
        throw new IllegalStateException("expected a value out of the range of ids, found none");
    }
}

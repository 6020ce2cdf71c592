package io.millrace.dataset.npy;

import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Optional;

/**
 * The type of an array's elements in the file.
 *
 * @param dtype the type of the elements in a field: the same type, except that 32-bit unsigned integers become 64-bit
 *     signed ones
 * @param bytes the bytes of one element in the file
 * @param order the byte order in the file
 */
record NpyType(DType dtype, int bytes, ByteOrder order) {
    private static final Map<String, DType> TYPES = Map.ofEntries(
            Map.entry("b1", DType.BOOL),
            Map.entry("u1", DType.UINT8),
            Map.entry("i1", DType.INT8),
            Map.entry("u2", DType.UINT16),
            Map.entry("i2", DType.INT16),
            Map.entry("i4", DType.INT32),
            Map.entry("i8", DType.INT64),
            Map.entry("f2", DType.FLOAT16),
            Map.entry("f4", DType.FLOAT32),
            Map.entry("f8", DType.FLOAT64));
    private static final String UNSIGNED_INT = "u4";

    /**
     * Returns the type of a NumPy description, such as {@code <f4}; the result is empty for a type that is not
     * supported.
     */
    static Optional<NpyType> of(String descr) {
        if (descr.length() != 3 || "<>|=".indexOf(descr.charAt(0)) < 0) {
            return Optional.empty();
        }
        ByteOrder order = descr.charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        String kind = descr.substring(1);
        if (kind.equals(UNSIGNED_INT)) {
            return Optional.of(new NpyType(DType.INT64, Integer.BYTES, order));
        }
        return Optional.ofNullable(TYPES.get(kind)).map(dtype -> new NpyType(dtype, dtype.bytes(), order));
    }

    /** Returns whether the file has the elements as a field has them, so that {@link #decode} changes nothing. */
    boolean isFieldForm() {
        return bytes == dtype.bytes() && (bytes == 1 || order == ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Returns the elements little-endian and as wide as {@link #dtype}. The method may change and return
     * {@code stored}.
     */
    byte[] decode(byte[] stored) {
        if (bytes != dtype.bytes()) {
            ByteBuffer in = ByteBuffer.wrap(stored).order(order);
            ByteBuffer out = ByteBuffer.allocate(stored.length * 2).order(ByteOrder.LITTLE_ENDIAN);
            while (in.hasRemaining()) {
                out.putLong(Integer.toUnsignedLong(in.getInt()));
            }
            return out.array();
        }
        if (order == ByteOrder.BIG_ENDIAN && bytes > 1) {
            for (int start = 0; start < stored.length; start += bytes) {
                for (int low = start, high = start + bytes - 1; low < high; low++, high--) {
                    byte swapped = stored[low];
                    stored[low] = stored[high];
                    stored[high] = swapped;
                }
            }
        }
        return stored;
    }
}

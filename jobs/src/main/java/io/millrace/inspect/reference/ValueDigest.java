package io.millrace.inspect.reference;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Halves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The digest of a value, in a form that does not depend on the width of its numbers.
 *
 * @param kind {@code bytes}, {@code integers}, {@code floats} or {@code pixels}, as {@code reference.py} describes them
 * @param shape the extents, outermost first; empty for bytes
 */
record ValueDigest(String kind, List<Integer> shape, String sha256) {
    static final String BYTES = "bytes";
    static final String PIXELS = "pixels";

    /** No numbers, whose type and further extents are not the same in all libraries. */
    private static final String EMPTY = "empty";

    private static final String FLOATS = "floats";
    private static final String INTEGERS = "integers";

    ValueDigest {
        if (!shape.isEmpty() && shape.get(0) == 0) {
            kind = EMPTY;
            shape = List.of(0);
        }
        shape = List.copyOf(shape);
    }

    /** Returns the digest of a field. The same bytes may be meant as bytes, as integers or as pixels. */
    static ValueDigest of(Field field, String meaning) {
        boolean raw = field.dtype() == DType.UINT8 || field.dtype() == DType.ENCODED;
        if (meaning.equals(BYTES) && raw && field.shape().length == 1) {
            return new ValueDigest(BYTES, List.of(), sha256(field.data()));
        }
        List<Integer> shape = Arrays.stream(field.shape()).boxed().toList();
        if (meaning.equals(PIXELS) && field.dtype() == DType.UINT8) {
            return new ValueDigest(PIXELS, shape, sha256(field.data()));
        }
        if (field.dtype() == DType.ENCODED) {
            return new ValueDigest(BYTES, List.of(), sha256(field.data()));
        }
        return new ValueDigest(field.dtype().isFloat() ? FLOATS : INTEGERS, shape, sha256(widened(field)));
    }

    /** Returns the numbers as int64 or float64. */
    private static byte[] widened(Field field) {
        ByteBuffer from = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        int count = field.data().length / field.dtype().bytes();
        ByteBuffer to =
                ByteBuffer.allocate(Math.multiplyExact(count, Long.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            switch (field.dtype()) {
                case UINT8, BOOL -> to.putLong(from.get(i) & 0xff);
                case INT8 -> to.putLong(from.get(i));
                case INT16 -> to.putLong(from.getShort(2 * i));
                case UINT16 -> to.putLong(from.getShort(2 * i) & 0xffff);
                case INT32 -> to.putLong(from.getInt(4 * i));
                case INT64 -> to.putLong(from.getLong(8 * i));
                case FLOAT32 -> to.putDouble(from.getFloat(4 * i));
                case FLOAT64 -> to.putDouble(from.getDouble(8 * i));
                case FLOAT16 -> to.putDouble(Halves.toFloat(from.getShort(2 * i)));
                case BFLOAT16 -> to.putDouble(Float.intBitsToFloat(from.getShort(2 * i) << 16));
                case ENCODED -> throw new IllegalArgumentException("encoded bytes are no numbers");
            }
            if (field.dtype().isFloat() && Double.isNaN(to.getDouble(8 * i))) {
                to.putDouble(8 * i, Double.NaN);
            }
        }
        return to.array();
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return kind + (kind.equals(BYTES) ? "" : " " + shape) + " with sha256 " + sha256.substring(0, 12);
    }
}

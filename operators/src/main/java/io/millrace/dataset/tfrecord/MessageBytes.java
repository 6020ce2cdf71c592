package io.millrace.dataset.tfrecord;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of fields in protocol buffers' wire format. A message consists of its fields, one after another. */
public final class MessageBytes {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;
    private static final int TYPE_BITS = 3;
    private static final int MOST_VARINT_BYTES = 10;

    private MessageBytes() {}

    /** Returns a field that holds a message, bytes, or packed values. */
    public static byte[] delimited(int field, byte[] content) {
        return joined(key(field, LENGTH_DELIMITED), varint(content.length), content);
    }

    /** Returns a field that holds text. */
    public static byte[] text(int field, String content) {
        return delimited(field, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a field that holds a whole number: int32, int64, uint or an enum. */
    public static byte[] integer(int field, long value) {
        return joined(key(field, VARINT), varint(value));
    }

    /** Returns a field that holds a float. */
    public static byte[] float32(int field, float value) {
        return joined(key(field, FIXED32), little(Float.BYTES).putFloat(value).array());
    }

    /** Returns a field that holds a double. */
    public static byte[] float64(int field, double value) {
        return joined(key(field, FIXED64), little(Double.BYTES).putDouble(value).array());
    }

    /** Returns a whole number without a key, as in packed values. */
    public static byte[] varint(long value) {
        byte[] bytes = new byte[MOST_VARINT_BYTES];
        int length = 0;
        long left = value;
        while ((left & ~0x7fL) != 0) {
            bytes[length++] = (byte) ((left & 0x7f) | 0x80);
            left >>>= 7;
        }
        bytes[length++] = (byte) left;
        return Arrays.copyOf(bytes, length);
    }

    /** Returns several fields as one array. */
    public static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] key(int field, int type) {
        return varint(((long) field << TYPE_BITS) | type);
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}

package io.millrace.pack;

import io.millrace.dataset.tfrecord.MessageBytes;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A sample as a {@code tf.train.Example}, in protocol buffers' wire format: Example.features = 1, Features.feature = 1 (a
 * map: key = 1, value = 2), and of a Feature bytes_list = 1, float_list = 2, int64_list = 3, each with value = 1.
 */
final class ExampleMessage {
    private static final int BYTES_LIST = 1;
    private static final int FLOAT_LIST = 2;
    private static final int INT64_LIST = 3;

    private final ByteArrayOutputStream features = new ByteArrayOutputStream();

    private ExampleMessage() {}

    /** The message's bytes, with the names that TensorFlow's image pipelines look for. */
    static byte[] of(Sample sample) {
        ExampleMessage message = new ExampleMessage();
        for (String name : sample.fieldNames()) {
            message.add(name.equals(Sample.IMAGE) ? "image/encoded" : name, sample.field(name));
        }
        message.add("image/class/label", INT64_LIST, packed(MessageBytes.varint(sample.label())));
        message.add("image/filename", BYTES_LIST, MessageBytes.text(1, sample.key()));
        return MessageBytes.delimited(1, message.features.toByteArray());
    }

    private void add(String name, Field field) {
        ByteBuffer data = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        if (field.dtype() == DType.FLOAT32) {
            add(name, FLOAT_LIST, packed(field.data()));
        } else if (field.dtype() == DType.ENCODED || StoredFields.isText(field)) {
            add(name, BYTES_LIST, MessageBytes.delimited(1, field.data()));
            return;
        } else {
            ByteArrayOutputStream values = new ByteArrayOutputStream();
            while (data.hasRemaining()) {
                values.writeBytes(MessageBytes.varint(integer(field.dtype(), data)));
            }
            add(name, INT64_LIST, packed(values.toByteArray()));
        }
        if (field.shape().length != 1) {
            ByteArrayOutputStream extents = new ByteArrayOutputStream();
            for (int extent : field.shape()) {
                extents.writeBytes(MessageBytes.varint(extent));
            }
            add(name + "/shape", INT64_LIST, packed(extents.toByteArray()));
        }
    }

    private static long integer(DType dtype, ByteBuffer data) {
        return switch (dtype) {
            case UINT8, BOOL -> data.get() & 0xff;
            case INT8 -> data.get();
            case INT16 -> data.getShort();
            case UINT16 -> data.getShort() & 0xffff;
            case INT32 -> data.getInt();
            case INT64 -> data.getLong();
            case ENCODED, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 ->
                throw new IllegalArgumentException("a tf.train.Example holds bytes, float32 and whole numbers, found "
                        + dtype + ": add a Cast to float32");
        };
    }

    private void add(String name, int kind, byte[] list) {
        byte[] key = MessageBytes.text(1, name);
        byte[] value = MessageBytes.delimited(2, MessageBytes.delimited(kind, list));
        features.writeBytes(MessageBytes.delimited(1, MessageBytes.joined(key, value)));
    }

    private static byte[] packed(byte[] values) {
        return MessageBytes.delimited(1, values);
    }
}

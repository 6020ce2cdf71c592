package io.millrace.pack;

import io.millrace.dataset.tfrecord.MessageBytes;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A sample as a {@code tf.train.Example} in the wire format of protocol buffers. The field numbers are: Example.features = 1;
 * Features.feature = 1 (a map with key = 1, value = 2); Feature.bytes_list = 1, float_list = 2, int64_list = 3, each with
 * value = 1.
 */
final class ExampleMessage {
    private static final int BYTES_LIST = 1;
    private static final int FLOAT_LIST = 2;
    private static final int INT64_LIST = 3;

    private final ByteArrayOutputStream features = new ByteArrayOutputStream();

    private ExampleMessage() {}

    /** Returns the bytes of the message, with the names of features that TensorFlow's image pipelines use. */
    static byte[] of(Sample sample, boolean labelled) {
        ExampleMessage message = new ExampleMessage();
        for (String name : sample.fieldNames()) {
            message.add(name.equals(Sample.IMAGE) ? "image/encoded" : name, sample.field(name));
        }
        if (labelled) {
            message.add("image/class/label", INT64_LIST, packed(MessageBytes.varint(sample.label())));
        }
        message.add("image/filename", BYTES_LIST, MessageBytes.text(1, sample.key()));
        return MessageBytes.delimited(1, message.features.toByteArray());
    }

    private void add(String name, Field field) {
        ByteBuffer data = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
        if (field.dtype() == DType.FLOAT32) {
            add(name, FLOAT_LIST, packed(field.data()));
        } else if (field.dtype() == DType.ENCODED || field.kind() == FieldKind.TEXT) {
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
                throw new IllegalArgumentException("a tf.train.Example contains bytes, float32 and integers, found "
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

package io.millrace.dataset.tfrecord;

import io.millrace.dataset.tfrecord.WireReader.MalformedWireException;
import io.millrace.sample.DType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * One feature of an Example: a list of byte strings, of floats, or of whole numbers.
 *
 * @param kind ENCODED for byte strings, FLOAT32 or INT64
 * @param texts the byte strings; empty for numbers
 * @param numbers the numbers; empty for byte strings
 */
record Feature(DType kind, List<byte[]> texts, Numbers numbers) {
    private static final int BYTES_LIST = 1;
    private static final int FLOAT_LIST = 2;
    private static final int INT64_LIST = 3;
    private static final int VALUE = 1;

    /** Little-endian numbers, one after another. */
    static final class Numbers {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        private void add(long value, int width) {
            byte[] one = ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(value)
                    .array();
            bytes.write(one, 0, width);
        }

        byte[] toArray() {
            return bytes.toByteArray();
        }
    }

    /** Returns the number of values. */
    int count() {
        return kind == DType.ENCODED ? texts.size() : numbers.toArray().length / kind.bytes();
    }

    /** Reads a {@code tf.train.Feature}. A later list of another kind replaces an earlier one. */
    static Feature read(WireReader in) throws MalformedWireException {
        Feature feature = of(DType.ENCODED);
        while (in.hasMore()) {
            int tag = in.tag();
            if (tag == WireReader.tag(BYTES_LIST, WireReader.BYTES)) {
                feature = feature.kind == DType.ENCODED ? feature : of(DType.ENCODED);
                feature.addTexts(in.message());
            } else if (tag == WireReader.tag(FLOAT_LIST, WireReader.BYTES)) {
                feature = feature.kind == DType.FLOAT32 ? feature : of(DType.FLOAT32);
                feature.addFloats(in.message());
            } else if (tag == WireReader.tag(INT64_LIST, WireReader.BYTES)) {
                feature = feature.kind == DType.INT64 ? feature : of(DType.INT64);
                feature.addLongs(in.message());
            } else {
                in.skip(tag);
            }
        }
        return feature;
    }

    private static Feature of(DType kind) {
        return new Feature(kind, new ArrayList<>(), new Numbers());
    }

    private void addTexts(WireReader in) throws MalformedWireException {
        while (in.hasMore()) {
            int tag = in.tag();
            if (tag == WireReader.tag(VALUE, WireReader.BYTES)) {
                texts.add(in.message().copy());
            } else {
                in.skip(tag);
            }
        }
    }

    private void addFloats(WireReader in) throws MalformedWireException {
        while (in.hasMore()) {
            int tag = in.tag();
            if (tag == WireReader.tag(VALUE, WireReader.BYTES)) {
                WireReader packed = in.message();
                if (packed.left() % Float.BYTES != 0) {
                    throw new MalformedWireException(
                            packed.position(), "expected floats of 4 bytes, found " + packed.left() + " bytes");
                }
                numbers.bytes.writeBytes(packed.copy());
            } else if (tag == WireReader.tag(VALUE, WireReader.FIXED32)) {
                numbers.add(in.fixed32(), Float.BYTES);
            } else {
                in.skip(tag);
            }
        }
    }

    private void addLongs(WireReader in) throws MalformedWireException {
        while (in.hasMore()) {
            int tag = in.tag();
            if (tag == WireReader.tag(VALUE, WireReader.BYTES)) {
                for (WireReader packed = in.message(); packed.hasMore(); ) {
                    numbers.add(packed.varint(), Long.BYTES);
                }
            } else if (tag == WireReader.tag(VALUE, WireReader.VARINT)) {
                numbers.add(in.varint(), Long.BYTES);
            } else {
                in.skip(tag);
            }
        }
    }
}

package io.millrace.source;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The serialized form of ranges in checkpoints and messages. Version 1: {@code from} and {@code to}, 8 bytes each,
 * big-endian.
 */
final class RangeSerializer implements SimpleVersionedSerializer<Range> {
    static final int VERSION = 1;
    private static final int BYTES = 2 * Long.BYTES;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(Range range) {
        return ByteBuffer.allocate(BYTES)
                .putLong(range.from())
                .putLong(range.to())
                .array();
    }

    @Override
    public Range deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("a range of version " + version + " cannot be read, only of version " + VERSION
                    + ": the checkpoint was written by another release of Millrace");
        }
        if (serialized.length != BYTES) {
            throw new IOException("a range needs " + BYTES + " bytes, found " + serialized.length);
        }
        ByteBuffer bytes = ByteBuffer.wrap(serialized);
        return new Range(bytes.getLong(), bytes.getLong());
    }
}

package io.millrace.source;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The enumerator's state in checkpoints. Version 1, big-endian: {@code next} (8 bytes), the number of returned ranges
 * (4), then {@code from} and {@code to} (8 each) of every range.
 */
final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {
    static final int VERSION = 1;
    private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;
    private static final int RANGE_BYTES = 2 * Long.BYTES;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EnumeratorState state) {
        int ranges = state.returned().size();
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + ranges * RANGE_BYTES)
                .putLong(state.next())
                .putInt(ranges);
        for (Range range : state.returned()) {
            bytes.putLong(range.from()).putLong(range.to());
        }
        return bytes.array();
    }

    @Override
    public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("a source state of version " + version + " cannot be read, only of version " + VERSION
                    + ": the checkpoint was written by another release of Millrace");
        }
        if (serialized.length < HEAD_BYTES) {
            throw new IOException("a source state takes at least " + HEAD_BYTES + " bytes, found " + serialized.length);
        }
        ByteBuffer bytes = ByteBuffer.wrap(serialized);
        long next = bytes.getLong();
        int ranges = bytes.getInt();
        if (ranges < 0 || bytes.remaining() != (long) ranges * RANGE_BYTES) {
            throw new IOException("a source state with " + ranges + " ranges takes " + RANGE_BYTES
                    + " bytes for each, found " + bytes.remaining() + " bytes in all");
        }
        List<Range> returned = new ArrayList<>(ranges);
        for (int i = 0; i < ranges; i++) {
            returned.add(new Range(bytes.getLong(), bytes.getLong()));
        }
        return new EnumeratorState(next, returned);
    }
}

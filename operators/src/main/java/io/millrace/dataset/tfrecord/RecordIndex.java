package io.millrace.dataset.tfrecord;

import io.millrace.dataset.shard.ShardIndex;
import io.millrace.dataset.shard.ShardLoss;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ends of the records of one file. Each record needs 8 bytes. The last record may end beyond the end of a file that
 * is cut off.
 */
final class RecordIndex implements ShardIndex {
    private final long[] ends;
    private final @Nullable ShardLoss loss;

    RecordIndex(long[] ends, @Nullable ShardLoss loss) {
        this.ends = ends;
        this.loss = loss;
    }

    @Override
    public int samples() {
        return ends.length;
    }

    @Override
    public Optional<ShardLoss> loss() {
        return Optional.ofNullable(loss);
    }

    @Override
    public long contentBytes() {
        return ends.length == 0 ? 0 : ends[ends.length - 1] - (long) ends.length * RecordIndexer.FRAME_BYTES;
    }

    /** Returns the offset of a record's data. */
    long dataOffset(int record) {
        return (record == 0 ? 0 : ends[record - 1]) + RecordIndexer.HEADER_BYTES;
    }

    /** Returns the number of bytes of a record's data. */
    long dataBytes(int record) {
        return ends[record] - RecordIndexer.TRAILER_BYTES - dataOffset(record);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(ends.length);
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(ends.length, Long.BYTES));
        bytes.asLongBuffer().put(ends);
        out.write(bytes.array());
        out.writeBoolean(loss != null);
        if (loss != null) {
            out.writeLong(loss.offset());
            out.writeLong(loss.lostBytes());
            out.writeUTF(loss.reason());
        }
    }

    static RecordIndex read(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > in.available() / Long.BYTES) {
            throw new IOException("expected a count of at most the remaining bytes, found " + count);
        }
        byte[] bytes = new byte[count * Long.BYTES];
        in.readFully(bytes);
        long[] ends = new long[count];
        ByteBuffer.wrap(bytes).asLongBuffer().get(ends);
        long before = 0;
        for (long end : ends) {
            if (end < before + RecordIndexer.FRAME_BYTES) {
                throw new IOException("expected records one after another, found an end at " + end);
            }
            before = end;
        }
        return new RecordIndex(
                ends, in.readBoolean() ? new ShardLoss(in.readLong(), in.readLong(), in.readUTF()) : null);
    }
}

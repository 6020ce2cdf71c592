package io.millrace.dataset.tfrecord;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.shard.Compression;
import io.millrace.dataset.shard.LostStructureException;
import io.millrace.dataset.shard.ScanWindow;
import io.millrace.dataset.shard.ShardIndexer;
import io.millrace.dataset.shard.ShardLoss;
import io.millrace.dataset.shard.SharedIndexes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The indexer of records: {@code u64 length, u32 checksum of length, data, u32 checksum of data}, little-endian. The
 * scan checks the checksums of all lengths. The checksums of the data are checked when the data is read.
 */
final class RecordIndexer implements ShardIndexer<RecordIndex> {
    static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;
    static final int TRAILER_BYTES = Integer.BYTES;
    static final int FRAME_BYTES = HEADER_BYTES + TRAILER_BYTES;

    /** The largest number of records in a file, because one array holds the ends of all records. */
    private static final int MOST_RECORDS = (1 << 27) - 1;

    private static final SharedIndexes<RecordIndex> SHARED = new SharedIndexes<>();

    @Override
    public SharedIndexes<RecordIndex> shared() {
        return SHARED;
    }

    @Override
    public String kind() {
        return "tfrecord";
    }

    @Override
    public int version() {
        return 2;
    }

    @Override
    public RecordIndex scan(ScanWindow file) throws IOException {
        Compression.requireNone(file);
        long[] ends = new long[64];
        int records = 0;
        long at = 0;
        ShardLoss loss = null;
        try {
            while (at < file.size()) {
                at = end(file, at);
                if (records == MOST_RECORDS) {
                    throw new DatasetException(
                            file.name() + ": expected up to " + MOST_RECORDS + " records in a file, found more");
                }
                if (records == ends.length) {
                    ends = Arrays.copyOf(ends, records * 2);
                }
                ends[records++] = at;
            }
        } catch (LostStructureException e) {
            refuseZlib(file);
            loss = e.loss(file.size());
        }
        return new RecordIndex(Arrays.copyOf(ends, records), loss);
    }

    private static long end(ScanWindow file, long at) throws IOException {
        ByteBuffer header = file.bytes(at, HEADER_BYTES, "a record's length and its checksum");
        long length = header.getLong(0);
        int found = header.getInt(Long.BYTES);
        int expected = MaskedCrc.of(header.slice(0, Long.BYTES));
        if (found != expected) {
            throw new LostStructureException(
                    at,
                    String.format(
                            "expected a record's length whose checksum is %08x, found %d with %08x",
                            expected, length, found));
        }
        if (length < 0 || length > Long.MAX_VALUE - at - FRAME_BYTES) {
            throw new LostStructureException(
                    at, "expected a record's length, found " + Long.toUnsignedString(length) + " bytes");
        }
        return at + FRAME_BYTES + length;
    }

    /**
     * Refuses a file that TensorFlow wrote with the option ZLIB. Such a file begins with the header of zlib data, but
     * the length of a record may begin with the same bytes.
     */
    private static void refuseZlib(ScanWindow file) throws IOException {
        if (file.size() < HEADER_BYTES) {
            return;
        }
        ByteBuffer start = file.bytes(0, HEADER_BYTES, "a record's length and its checksum");
        boolean zlib = start.get(0) == 0x78 && ((start.get(0) & 0xFF) * 256 + (start.get(1) & 0xFF)) % 31 == 0;
        if (zlib && start.getInt(Long.BYTES) != MaskedCrc.of(start.slice(0, Long.BYTES))) {
            throw new DatasetException(file.name() + " is compressed with zlib as a whole: a record in it can only be"
                    + " reached by unpacking all bytes before it, so the records cannot be read in another order than"
                    + " the file's. Write the file without compression; images are compressed already");
        }
    }

    @Override
    public void write(RecordIndex index, DataOutputStream out) throws IOException {
        index.write(out);
    }

    @Override
    public RecordIndex read(DataInputStream in) throws IOException {
        return RecordIndex.read(in);
    }
}

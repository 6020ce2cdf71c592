package io.millrace.batch;

import io.millrace.sample.BadSample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.core.memory.MemorySegmentWritable;

/**
 * The bytes of a micro-batch on the wire, version 1:
 * <pre>
 * u8 version | i64 fingerprint of the spec | i32 rows | i32 quarantined rows | i32 bytes of the bad samples  (big-endian)
 * positions, indexes, labels, then each column: the rows' data as Arrow holds it                        (little-endian)
 *     a ragged or sparse column: i32 offsets, one more than rows, the first 0, counted in entries; then the entries
 * for each quarantined row, ascending: i32 row | i64 offset | stage, dataset, file, reason, each i32 length and UTF-8
 * </pre>
 *
 * <p>Validity bits are not part of the format, because they follow from the quarantined rows. An instance has a scratch
 * array and is used by one thread at a time.
 *
 * <p>Tested by {@code MicroBatchSerializerTest}.
 */
final class MicroBatchWire {
    static final int VERSION = 1;
    static final int HEADER_BYTES = 1 + 8 + 4 + 4 + 4;

    /** The size of the scratch array, which is small enough to stay in the CPU's first-level cache between the two copies. */
    private static final int SCRATCH_BYTES = 16 << 10;

    private final BatchSpec spec;
    private final long fingerprint;
    private final byte[] scratch = new byte[SCRATCH_BYTES];

    private record Header(int rows, int quarantined, int badSampleBytes) {}

    MicroBatchWire(BatchSpec spec) {
        this.spec = spec;
        fingerprint = fingerprint(spec);
    }

    /**
     * Returns the first 64 bits of a SHA-256 over the names, element types, shapes and forms of the columns. A reader uses it
     * to detect that the spec of a micro-batch is not its own.
     */
    static long fingerprint(BatchSpec spec) {
        StringBuilder text = new StringBuilder();
        for (BatchSpec.Column column : spec.columns()) {
            // The form and the source type are left out of dense columns without conversion, as in the first version.
            text.append(column.name().length())
                    .append(':')
                    .append(column.name())
                    .append(column.dtype())
                    .append(column.shape())
                    .append(column.form() == Form.DENSE ? "" : column.form().name())
                    .append(column.converted() ? "from" + column.from() : "");
        }
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    /**
     * Returns the number of bytes of a micro-batch without its rows and bad samples: the header, and the first offset of
     * columns whose rows vary.
     */
    static int overheadBytes(BatchSpec spec) {
        long varying = spec.columns().stream().filter(BatchSpec.Column::varies).count();
        return HEADER_BYTES + (int) varying * RowBuffers.OFFSET_BYTES;
    }

    /** Returns the number of bytes of the description of a bad sample. */
    static int bytes(BadSample why) {
        return 4 + 8 + bytes(why.stage()) + bytes(why.dataset()) + bytes(why.file()) + bytes(why.reason());
    }

    private static int bytes(String text) {
        return 4 + text.getBytes(StandardCharsets.UTF_8).length;
    }

    void write(MicroBatch batch, DataOutputView out) throws IOException {
        RowBuffers buffers = batch.buffers();
        SortedMap<Integer, BadSample> badSamples = batch.badSamples();
        out.writeByte(VERSION);
        out.writeLong(fingerprint);
        out.writeInt(batch.rows());
        out.writeInt(badSamples.size());
        out.writeInt(
                badSamples.values().stream().mapToInt(MicroBatchWire::bytes).sum());
        for (int i = 0; i < buffers.all().size(); i++) {
            int column = RowBuffers.columnAt(i);
            if (column >= 0 && buffers.refers(column, batch.rows())) {
                writeRows(buffers, column, batch.rows(), out);
            } else {
                write(buffers.all().get(i), buffers.bytesAt(i, batch.rows()), out);
            }
            int varying = buffers.varyingAt(i);
            if (varying >= 0) {
                write(buffers.values(varying), buffers.valueBytes(varying, batch.rows()), out);
            }
        }
        for (Map.Entry<Integer, BadSample> entry : badSamples.entrySet()) {
            BadSample why = entry.getValue();
            out.writeInt(entry.getKey());
            out.writeLong(why.offset());
            for (String text : new String[] {why.stage(), why.dataset(), why.file(), why.reason()}) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(utf8.length);
                out.write(utf8);
            }
        }
    }

    /**
     * Reads one micro-batch into memory of the allocator. The caller closes it. When reading fails, the memory is freed.
     */
    MicroBatch read(DataInputView in, BufferAllocator allocator) throws IOException {
        Header header = readHeader(in);
        RowBuffers buffers = RowBuffers.allocate(allocator, spec, header.rows());
        boolean whole = false;
        try {
            for (int i = 0; i < buffers.all().size(); i++) {
                read(in, buffers.all().get(i), buffers.bytesAt(i, header.rows()));
                int varying = buffers.varyingAt(i);
                if (varying >= 0) {
                    checkOffsets(buffers, varying, header.rows());
                    long bytes = buffers.valueBytes(varying, header.rows());
                    buffers.reserve(varying, 0, bytes);
                    read(in, buffers.values(varying), bytes);
                }
            }
            SortedMap<Integer, BadSample> badSamples = readBadSamples(in, header);
            whole = true;
            return new MicroBatch(buffers, header.rows(), badSamples, buffers::close);
        } finally {
            if (!whole) {
                buffers.close();
            }
        }
    }

    /** Copies one micro-batch without unpacking it. */
    void copy(DataInputView in, DataOutputView out) throws IOException {
        Header header = readHeader(in);
        out.writeByte(VERSION);
        out.writeLong(fingerprint);
        out.writeInt(header.rows());
        out.writeInt(header.quarantined());
        out.writeInt(header.badSampleBytes());
        copy(in, out, (long) header.rows() * RowBuffers.KEY_BYTES);
        for (BatchSpec.Column column : spec.columns()) {
            copy(in, out, (long) header.rows() * column.rowBytes());
            if (column.varies()) {
                // The last offset is the number of entries that follow.
                in.readFully(scratch, 0, RowBuffers.OFFSET_BYTES);
                out.write(scratch, 0, RowBuffers.OFFSET_BYTES);
                int entries =
                        ByteBuffer.wrap(scratch).order(ByteOrder.LITTLE_ENDIAN).getInt();
                copy(in, out, (long) entries * column.entryBytes());
            }
        }
        copy(in, out, header.badSampleBytes());
    }

    private void copy(DataInputView in, DataOutputView out, long bytes) throws IOException {
        for (long left = bytes; left > 0; ) {
            int length = (int) Math.min(left, scratch.length);
            in.readFully(scratch, 0, length);
            out.write(scratch, 0, length);
            left -= length;
        }
    }

    private void checkOffsets(RowBuffers buffers, int column, int rows) throws IOException {
        int before = 0;
        for (int row = 0; row <= rows; row++) {
            int offset = buffers.offset(column, row);
            if (offset < before || (row == 0 && offset != 0)) {
                throw new IOException("a micro-batch of " + rows + " rows has broken offsets in column '"
                        + spec.columns().get(column).name() + "': row " + row + " begins at " + offset);
            }
            before = offset;
        }
    }

    private void write(ArrowBuf source, long bytes, DataOutputView out) throws IOException {
        if (out instanceof MemorySegmentWritable segments && bytes <= Integer.MAX_VALUE && bytes > 0) {
            // Flink's record writer implements this interface. It copies once, from native memory into its array.
            int length = (int) bytes;
            segments.write(MemorySegmentFactory.wrapOffHeapMemory(source.nioBuffer(0, length)), 0, length);
            return;
        }
        for (long at = 0; at < bytes; at += scratch.length) {
            int length = (int) Math.min(bytes - at, scratch.length);
            source.getBytes(at, scratch, 0, length);
            out.write(scratch, 0, length);
        }
    }

    /** Writes a column of which some rows lie outside of its buffer. */
    private void writeRows(RowBuffers buffers, int column, int rows, DataOutputView out) throws IOException {
        int rowBytes = buffers.rowBytes(column);
        for (int row = 0; row < rows; row++) {
            ByteBuffer referred = buffers.referred(column, row);
            if (referred == null) {
                write(buffers.column(column).slice((long) row * rowBytes, rowBytes), rowBytes, out);
            } else if (out instanceof MemorySegmentWritable segments) {
                segments.write(MemorySegmentFactory.wrapOffHeapMemory(referred), 0, rowBytes);
            } else {
                for (int at = 0; at < rowBytes; at += scratch.length) {
                    int length = Math.min(rowBytes - at, scratch.length);
                    referred.get(at, scratch, 0, length);
                    out.write(scratch, 0, length);
                }
            }
        }
    }

    private void read(DataInputView in, ArrowBuf target, long bytes) throws IOException {
        for (long at = 0; at < bytes; at += scratch.length) {
            int length = (int) Math.min(bytes - at, scratch.length);
            in.readFully(scratch, 0, length);
            target.setBytes(at, scratch, 0, length);
        }
    }

    private Header readHeader(DataInputView in) throws IOException {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IOException(
                    "a micro-batch of version " + version + " arrived, but this Millrace reads only version " + VERSION
                            + ": run the same Millrace in all processes of a job");
        }
        long found = in.readLong();
        if (found != fingerprint) {
            throw new IOException("a micro-batch of other columns arrived: expected " + spec + " (fingerprint "
                    + Long.toHexString(fingerprint) + "), found fingerprint " + Long.toHexString(found));
        }
        Header header = new Header(in.readInt(), in.readInt(), in.readInt());
        if (header.rows() < 1
                || header.quarantined() < 0
                || header.quarantined() > header.rows()
                || header.badSampleBytes() < 0) {
            throw new IOException("a micro-batch with a broken header arrived: " + header);
        }
        return header;
    }

    private static SortedMap<Integer, BadSample> readBadSamples(DataInputView in, Header header) throws IOException {
        SortedMap<Integer, BadSample> badSamples = new TreeMap<>();
        int left = header.badSampleBytes();
        for (int i = 0; i < header.quarantined(); i++) {
            int row = in.readInt();
            long offset = in.readLong();
            String[] texts = new String[4];
            left -= 4 + 8;
            for (int t = 0; t < texts.length; t++) {
                int length = in.readInt();
                left -= 4 + Math.max(0, length);
                if (row < 0 || row >= header.rows() || length < 0 || left < 0) {
                    throw new IOException(
                            "a micro-batch of " + header.rows() + " rows has a broken description of a bad sample: row "
                                    + row + ", text of " + length + " bytes");
                }
                byte[] utf8 = new byte[length];
                in.readFully(utf8);
                texts[t] = new String(utf8, StandardCharsets.UTF_8);
            }
            badSamples.put(row, new BadSample(texts[0], texts[1], texts[2], offset, texts[3]));
        }
        return badSamples;
    }
}

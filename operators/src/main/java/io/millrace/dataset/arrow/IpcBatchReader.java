package io.millrace.dataset.arrow;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.RangedFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the metadata of batches with the same fields. It checks all positions in the metadata. Belongs to one
 * thread.
 *
 * <p>Tested by {@code ArrowDatasetTest}.
 */
final class IpcBatchReader {
    /** The largest number of rows in a batch. A batch that states more is damaged. */
    private static final long MAX_ROWS = 1L << 40;

    /** The largest number of entries of a message's metadata that are searched. */
    private static final int MAX_ENTRIES = 1_000;

    /** The bytes of the structures FieldNode and Buffer of Arrow's Message.fbs. */
    private static final int NODE_BYTES = 16;

    private static final int BUFFER_BYTES = 16;

    private final RangedFile file;
    private final List<IpcField> fields;

    /**
     * The layout of the previous batch and the counts of buffers for which it was made. The next batch nearly always
     * has the same counts.
     */
    private List<Integer> views = List.of();

    private int validityBuffers;

    private Optional<IpcLayout> layout = Optional.empty();

    IpcBatchReader(RangedFile file, List<IpcField> fields) {
        this.file = file;
        this.fields = fields;
    }

    IpcBatch rows(IpcMessage message, Map<Long, IpcDictionary> dictionaries) throws DatasetException {
        return IpcMessage.checked(
                file,
                message.position(),
                () -> batch(message, (RecordBatch) message.message().header(new RecordBatch()), dictionaries));
    }

    IpcBatch values(IpcMessage message, DictionaryBatch header, Map<Long, IpcDictionary> dictionaries)
            throws DatasetException {
        return IpcMessage.checked(file, message.position(), () -> batch(message, header.data(), dictionaries));
    }

    private IpcBatch batch(IpcMessage message, RecordBatch batch, Map<Long, IpcDictionary> dictionaries) {
        long rows = batch.length();
        if (rows < 0 || rows > MAX_ROWS) {
            throw new IllegalArgumentException("expected 0 to " + MAX_ROWS + " rows, found " + rows);
        }
        IpcLayout places = layout(batch, message.message().version() < MetadataVersion.V5 ? 1 : 0);
        if (batch.nodesLength() != places.nodes() || batch.buffersLength() != places.buffers()) {
            throw new IllegalArgumentException("expected " + places.nodes() + " nodes and " + places.buffers()
                    + " buffers for the schema, found " + batch.nodesLength() + " and " + batch.buffersLength());
        }
        long[] nodes = new long[2 * places.nodes()];
        for (int i = 0; i < places.nodes(); i++) {
            nodes[2 * i] = batch.nodes(i).length();
            nodes[2 * i + 1] = batch.nodes(i).nullCount();
        }
        for (IpcLayout.FieldLayout field : places.fields()) {
            if (nodes[2 * field.node()] != rows) {
                throw new IllegalArgumentException("expected " + rows + " values of column '"
                        + field.field().name() + "', found " + nodes[2 * field.node()]);
            }
        }
        return new IpcBatch(
                message.body(),
                rows,
                codec(message.message(), batch.compression()),
                places,
                nodes,
                buffers(message, batch),
                dictionaries);
    }

    private static long[] buffers(IpcMessage message, RecordBatch batch) {
        long[] buffers = new long[2 * batch.buffersLength()];
        for (int i = 0; i < batch.buffersLength(); i++) {
            long offset = batch.buffers(i).offset();
            long length = batch.buffers(i).length();
            if (offset < 0 || length < 0 || offset > message.bodyLength() || length > message.bodyLength() - offset) {
                throw new IllegalArgumentException("expected buffer " + i + " within the batch's "
                        + message.bodyLength() + " bytes, found " + length + " bytes at " + offset);
            }
            buffers[2 * i] = offset;
            buffers[2 * i + 1] = length;
        }
        return buffers;
    }

    /** Returns the layout of a batch. Its vectors must lie within the metadata, or a damaged length could exhaust the heap. */
    private IpcLayout layout(RecordBatch batch, int validity) {
        int bytes = batch.getByteBuffer().capacity();
        requireWithin(batch.nodesLength(), "nodes", bytes / NODE_BYTES);
        requireWithin(batch.buffersLength(), "buffers", bytes / BUFFER_BYTES);
        requireWithin(batch.variadicBufferCountsLength(), "columns of views", bytes / Long.BYTES);
        int counts = batch.variadicBufferCountsLength();
        int most = batch.buffersLength();
        List<Integer> found = new ArrayList<>(counts);
        for (int i = 0; i < counts; i++) {
            long count = batch.variadicBufferCounts(i);
            requireWithin(count, "buffers of views", most);
            found.add((int) count);
        }
        if (layout.isEmpty() || !views.equals(found) || validityBuffers != validity) {
            views = found;
            validityBuffers = validity;
            layout = Optional.of(IpcLayout.of(fields, found, validity));
        }
        return layout.get();
    }

    private static void requireWithin(long found, String what, int most) {
        if (found < 0 || found > most) {
            throw new IllegalArgumentException("expected at most " + most + " " + what + ", found " + found);
        }
    }

    private static Optional<BufferCodec> codec(Message message, @Nullable BodyCompression compression) {
        if (compression == null) {
            return experimentalCodec(message);
        }
        if (compression.method() != BodyCompressionMethod.BUFFER) {
            throw new IllegalArgumentException(
                    "expected each buffer to be compressed by itself, found compression method "
                            + compression.method());
        }
        return Optional.of(
                switch (compression.codec()) {
                    case CompressionType.LZ4_FRAME -> BufferCodec.LZ4_FRAME;
                    case CompressionType.ZSTD -> BufferCodec.ZSTD;
                    default ->
                        throw new IllegalArgumentException(
                                "expected compression with LZ4 or zstd, found codec " + compression.codec());
                });
    }

    private static Optional<BufferCodec> experimentalCodec(Message message) {
        int entries = message.version() == MetadataVersion.V4 ? message.customMetadataLength() : 0;
        for (int i = 0; i < Math.min(entries, MAX_ENTRIES); i++) {
            KeyValue entry = message.customMetadata(i);
            if (BufferCodec.EXPERIMENTAL_KEY.equals(entry.key()) && entry.value() != null) {
                return BufferCodec.ofExperimentalName(entry.value());
            }
        }
        return Optional.empty();
    }
}

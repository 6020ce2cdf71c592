package io.millrace.serve;

import io.millrace.batch.BatchSpec;
import io.millrace.device.BufferMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;
import io.millrace.sample.DType;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * The completion of buffers. The rows of columns that do not vary are in the buffer already, since they arrived; this class
 * adds the header, the samples' indexes, positions, weights and labels, and the entries of ragged and sparse columns.
 * It leaves out fields that differ from those of the batches: columns of another form, labels that are no numbers, and labels of samples
 * without labels.
 * The thread that fills the batches calls it.
 */
public final class BufferWriter {
    /** The size of the place of a field's entries: their start and their length, both u64. */
    static final int TABLE_BYTES = 2 * Long.BYTES;

    /** The bytes {@code MRB1}, as a little-endian number. */
    private static final int MAGIC = 'M' | 'R' << 8 | 'B' << 16 | '1' << 24;

    /** The largest batch that is sent inline: the size of the largest array of Java. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 8;

    private final BufferLayout layout;
    private final BufferMemory buffers;
    private final long indexes;
    private final long positions;
    private final long weights;
    private final @Nullable BufferField labels;

    /**
     * Creates a writer.
     *
     * @param buffers the buffers that contain the batches; the caller owns them. Buffers of {@link
     *     BufferLayout#fixedBytes} have no room for entries, so that batches with ragged or sparse columns are always
     *     sent inline
     * @throws IllegalArgumentException when the fixed part of the layout does not fit a buffer
     */
    public BufferWriter(BufferLayout layout, BufferMemory buffers) {
        if (buffers.bufferBytes() < layout.fixedBytes()) {
            throw new IllegalArgumentException("buffers of " + buffers.bufferBytes() + " bytes: expected at least "
                    + layout.fixedBytes() + " bytes");
        }
        this.layout = layout;
        this.buffers = buffers;
        this.indexes = layout.field(BufferLayout.INDEX).offset();
        this.positions = layout.field(BufferLayout.POSITION).offset();
        this.weights = layout.field(BufferLayout.WEIGHT).offset();
        this.labels = layout.find(BufferLayout.LABEL).orElse(null);
    }

    /**
     * Completes a buffer.
     *
     * @param batch the sealed batch, which was allocated for this buffer
     * @param planned the plan of this batch
     * @param generation the generation of the client's last SEEK
     * @return the buffer's content, valid until the batch is begun anew or closed
     * @throws IllegalArgumentException when the batch is too large to be sent
     */
    public BufferContent write(DeviceBatch batch, BatchPlan.Batch planned, int buffer, int generation) {
        if (batch.number() != planned.number()) {
            throw new IllegalArgumentException(
                    "batch " + batch.number() + " with the plan of batch " + planned.number());
        }
        long address = buffers.address(buffer);
        writeRows(batch, address);
        List<BufferContent.Part> entries = new ArrayList<>();
        long end = layout.fixedBytes();
        for (int i = 0; i < layout.columns().size(); i++) {
            BufferField field = layout.columns().get(i);
            Long offsets = field.offsets();
            if (offsets != null) {
                long start = BufferLayout.aligned(end, BufferLayout.FIELD_ALIGNMENT);
                long length = entryBytes(batch, i);
                MemoryUtil.putLong(address + field.offset(), start);
                MemoryUtil.putLong(address + field.offset() + Long.BYTES, length);
                writeLongs(batch.offsets(i), address + offsets);
                entries.add(new BufferContent.Part(start, batch.memory(i).address(), length));
                end = start + length;
            }
        }
        if (end > MOST_BYTES) {
            throw new IllegalArgumentException("batch " + batch.number() + " has " + end + " bytes: expected at most "
                    + MOST_BYTES + ". Set a smaller batch.size");
        }
        writeHeader(batch, planned, address, generation, end);
        boolean fits = end <= buffers.bufferBytes();
        if (fits) {
            entries.forEach(part -> MemoryUtil.copyMemory(part.address(), address + part.start(), part.bytes()));
            entries.clear();
        }
        entries.add(0, new BufferContent.Part(0, address, fits ? end : layout.fixedBytes()));
        return new BufferContent(buffer, end, fits, entries);
    }

    private long entryBytes(DeviceBatch batch, int column) {
        LongBuffer offsets = batch.offsets(column);
        BatchSpec.Column spec = layout.spec().columns().get(column);
        return offsets.get(offsets.limit() - 1) * spec.entryBytes();
    }

    private void writeRows(DeviceBatch batch, long address) {
        int weight = Float.floatToRawIntBits(1 - batch.paddedRows());
        for (int row = 0; row < batch.rows(); row++) {
            MemoryUtil.putInt(address + weights + (long) row * Float.BYTES, weight);
            long at = address + (long) row * Long.BYTES;
            MemoryUtil.putLong(at + indexes, batch.index(row));
            MemoryUtil.putLong(at + positions, batch.position(row));
        }
        if (labels != null && labels.dtype().equals(DType.INT64.word())) {
            writeLongs(batch.labels(), address + labels.offset());
        }
    }

    private static void writeLongs(LongBuffer values, long address) {
        for (int i = 0; i < values.limit(); i++) {
            MemoryUtil.putLong(address + (long) i * Long.BYTES, values.get(i));
        }
    }

    private static void writeHeader(
            DeviceBatch batch, BatchPlan.Batch planned, long address, int generation, long bytes) {
        MemoryUtil.putInt(address, MAGIC);
        MemoryUtil.putInt(address + 4, generation);
        MemoryUtil.putLong(address + 8, planned.step());
        MemoryUtil.putInt(address + 16, planned.epoch());
        MemoryUtil.putInt(address + 20, batch.rows());
        MemoryUtil.putInt(address + 24, planned.rows());
        MemoryUtil.putInt(address + 28, batch.paddedRows());
        MemoryUtil.putLong(address + 32, planned.firstPosition());
        MemoryUtil.putLong(address + 40, bytes);
        MemoryUtil.putLong(address + 48, 0);
        MemoryUtil.putLong(address + 56, 0);
    }
}

package io.millrace.serve;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a buffer: a header, then the fields, each at a multiple of 64 bytes. All of this is the fixed part, which
 * has the same places in every buffer. Behind it is room for the entries of ragged and sparse fields. A batch whose
 * entries do not fit there is sent inline.
 *
 * @param fields the fields, in order of their places: index, position, weight and, if there are labels, label of each row, then the columns
 * @param spec the columns of the batches, as the client gets them
 * @param capacity the largest number of rows of a batch
 * @param fixedBytes the size of the fixed part, a multiple of 64
 * @param bufferBytes the size of a buffer with room for entries, a multiple of 4096
 */
public record BufferLayout(List<BufferField> fields, BatchSpec spec, int capacity, long fixedBytes, long bufferBytes) {
    /** The name of the field with the indexes of the samples in their dataset. */
    public static final String INDEX = "__index__";

    /** The name of the field with the positions in the run. */
    public static final String POSITION = "__position__";

    /** The name of the field with the weights: 1 for a sample, 0 for a padded row. */
    public static final String WEIGHT = "__weight__";

    /** The name of the field with the labels. */
    public static final String LABEL = "label";

    private static final BatchSpec.Column WEIGHTS =
            new BatchSpec.Column(WEIGHT, DType.FLOAT32, List.of(), FieldKind.TENSOR, Form.DENSE);

    /** The size of the header. */
    static final int HEADER_BYTES = 64;

    /** The alignment of fields and of the entries of a field. */
    static final int FIELD_ALIGNMENT = 64;

    /** The alignment of buffers: a page. */
    static final int BUFFER_ALIGNMENT = 4096;

    /** The size of the largest buffer: one mapping of Java ends at 2 GiB. */
    static final long MOST_BUFFER_BYTES = (1L << 31) - BUFFER_ALIGNMENT;

    /**
     * The room for the entries of one row of one field: 8192 tokens of int64, 1024 boxes of 16 numbers, a page of text.
     * A batch shares the room of its rows. Memory of a client is allocated only where entries are written.
     */
    static final int ENTRY_ROOM_BYTES = 64 << 10;

    /** The least room for the entries of a field, so that one long row of a small batch fits. */
    static final int LEAST_ENTRY_ROOM_BYTES = 1 << 20;

    public BufferLayout {
        fields = List.copyOf(fields);
    }

    /** Returns the layout for batches with one label for each row. */
    public static BufferLayout of(BatchSpec spec, int capacity) {
        return of(spec, Optional.of(numbers(LABEL)), capacity);
    }

    /**
     * Returns the layout for batches.
     *
     * @param label the labels of a row; empty for samples without labels
     * @param capacity the largest number of rows of a batch, at least 1
     * @throws IllegalArgumentException when the fixed part needs 2 GiB or more, or when a column has the name of one of
     *     the fields that every buffer has
     */
    public static BufferLayout of(BatchSpec spec, Optional<BatchSpec.Column> label, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a buffer needs room for at least 1 row, found " + capacity);
        }
        List<BufferField> fields = new ArrayList<>();
        long end = HEADER_BYTES;
        List<BatchSpec.Column> common = new ArrayList<>(List.of(numbers(INDEX), numbers(POSITION), WEIGHTS));
        label.ifPresent(common::add);
        for (BatchSpec.Column column : common) {
            if (spec.find(column.name()).isPresent()) {
                throw new IllegalArgumentException("a field is called '" + column.name()
                        + "', which is the name of a field that every batch has: expected another name, which dataset.fields can give, as"
                        + " {target: {from: label}}");
            }
            fields.add(field(column, end, null));
            end = aligned(end + (long) capacity * column.rowBytes(), FIELD_ALIGNMENT);
        }
        long room = 0;
        for (BatchSpec.Column column : spec.columns()) {
            if (column.varies()) {
                long table = end;
                end = aligned(table + BufferWriter.TABLE_BYTES, FIELD_ALIGNMENT);
                fields.add(field(column, table, end));
                end = aligned(end + (capacity + 1L) * Long.BYTES, FIELD_ALIGNMENT);
                room += aligned(entryRoom(column, capacity), FIELD_ALIGNMENT);
            } else {
                fields.add(field(column, end, null));
                end = aligned(end + (long) capacity * column.rowBytes(), FIELD_ALIGNMENT);
            }
        }
        if (end > MOST_BUFFER_BYTES) {
            throw new IllegalArgumentException("a batch of " + capacity + " rows needs a buffer of " + end
                    + " bytes: expected at most " + MOST_BUFFER_BYTES + ". Set a smaller batch.size");
        }
        long buffer = Math.min(aligned(end + room, BUFFER_ALIGNMENT), MOST_BUFFER_BYTES);
        return new BufferLayout(fields, spec, capacity, end, buffer);
    }

    private static BatchSpec.Column numbers(String name) {
        return new BatchSpec.Column(name, DType.INT64, List.of(), FieldKind.TENSOR, Form.DENSE);
    }

    private static long entryRoom(BatchSpec.Column column, int capacity) {
        long all = Math.max((long) capacity * ENTRY_ROOM_BYTES, LEAST_ENTRY_ROOM_BYTES);
        return column.form() == Form.SPARSE
                ? Math.min(all, (long) capacity * column.elements() * column.entryBytes())
                : all;
    }

    private static BufferField field(BatchSpec.Column column, long offset, @Nullable Long offsets) {
        return new BufferField(
                column.name(),
                column.dtype().word(),
                column.shape(),
                column.form().name().toLowerCase(Locale.ROOT),
                column.kind().word(),
                column.from().word(),
                offset,
                offsets);
    }

    static long aligned(long bytes, int alignment) {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    /** Returns the offset of each column of the batches in a buffer, in their order. */
    public List<Long> columnOffsets() {
        return columns().stream().map(BufferField::offset).toList();
    }

    /** Returns the fields of the columns of the batches, in their order. */
    List<BufferField> columns() {
        return fields.subList(fields.size() - spec.columns().size(), fields.size());
    }

    /** Returns the field with a name, which must exist. */
    public BufferField field(String name) {
        return find(name).orElseThrow();
    }

    /** Returns the field with a name; empty when there is none. */
    Optional<BufferField> find(String name) {
        return fields.stream().filter(field -> field.name().equals(name)).findFirst();
    }
}

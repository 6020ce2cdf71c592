package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.StoredRows;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * The writing of samples into rows, in the types of the wire. Used by one thread at a time.
 *
 * <p>Tested by {@code PackerTest}.
 */
final class RowWriter {
    /** Shorter rows are copied: they are then sent in one piece, which costs less than a piece for each row. */
    private static final int LEAST_REFERRED_BYTES = 4096;

    private final List<BatchSpec.Column> columns;
    private final List<WireValues> sentValues;
    private final Filling filling;

    /** The stored rows that {@link #sources} belongs to; null before the first. */
    private @Nullable StoredRows known;

    private int[] sources = {};

    RowWriter(List<BatchSpec.Column> columns, Filling filling) {
        this.columns = columns;
        this.filling = filling;
        sentValues = columns.stream().map(WireValues::new).toList();
    }

    /** Returns the largest number of bytes that a field has on the wire in a column whose rows vary. */
    long atMost(int column, Field field) {
        return sentValues.get(column).atMost(field.data());
    }

    /**
     * Copies the fields of a sample into a row.
     *
     * @return the number of bytes in the columns whose rows vary
     * @throws SampleMismatchException when the field of a column is missing, or has another element type or shape
     * @throws BadValueException when a value does not fit the wire type of its column
     */
    long write(Sample sample, RowBuffers buffers, int row) {
        long varying = 0;
        for (int i = 0; i < columns.size(); i++) {
            BatchSpec.Column column = columns.get(i);
            if (!sample.fieldNames().contains(column.name())) {
                throw SampleMismatchException.missing(sample, column);
            }
            Field field = sample.field(column.name());
            requireType(sample, column, field);
            ByteBuffer stored = field.stored();
            if (stored != null && column.form() == Form.DENSE && !column.converted()) {
                int length = column.rowBytes();
                if (filling == Filling.NOT_STORED && field.lasting() && length >= LEAST_REFERRED_BYTES) {
                    buffers.refer(i, row, stored);
                } else {
                    buffers.own(i, row);
                    if (MemoryUtil.getByteBufferAddress(stored) != buffers.address(i, row)) {
                        buffers.column(i).setBytes((long) row * length, stored, 0, length);
                    }
                }
                continue;
            }
            buffers.own(i, row);
            WireValues values = sentValues.get(i);
            values.convert(field.data());
            switch (column.form()) {
                case DENSE ->
                    buffers.column(i).setBytes((long) row * values.length(), values.bytes(), 0, values.length());
                case BITS -> {
                    int strange = Bits.pack(values.bytes(), buffers.address(i, row));
                    if (strange >= 0) {
                        throw BadValueException.notBinary(column, values.bytes()[strange] & 0xFF, strange);
                    }
                }
                case RAGGED, SPARSE -> {
                    append(i, values, column.entryBytes(), buffers, row);
                    varying += values.length();
                }
            }
        }
        return varying;
    }

    /**
     * Returns an image of three channels of unsigned bytes in the memory of a row; null when the row does not hold it as it is.
     */
    @Nullable
    Field image(String field, int height, int width, RowBuffers buffers, int row) {
        for (int i = 0; i < columns.size(); i++) {
            BatchSpec.Column column = columns.get(i);
            if (column.name().equals(field)) {
                int[] shape = {height, width, 3};
                boolean asIs = column.form() == Form.DENSE
                        && !column.converted()
                        && column.from() == DType.UINT8
                        && sameShape(column, shape);
                if (!asIs) {
                    return null;
                }
                buffers.own(i, row);
                ByteBuffer memory = buffers.column(i).nioBuffer((long) row * column.rowBytes(), column.rowBytes());
                return Field.passing(column.from(), shape, memory).as(FieldKind.IMAGE);
            }
        }
        return null;
    }

    private static void append(int column, WireValues values, int entryBytes, RowBuffers buffers, int row) {
        long used = buffers.valueBytes(column, row);
        buffers.reserve(column, used, used + values.length());
        buffers.values(column).setBytes(used, values.bytes(), 0, values.length());
        buffers.endRow(column, row, buffers.offset(column, row) + values.length() / entryBytes);
    }

    /** Checks that a field has the element type and the shape of its column. */
    static void requireType(Sample sample, BatchSpec.Column column, Field field) {
        if (field.dtype() != column.from() || !sameShape(column, field.shape())) {
            throw SampleMismatchException.different(sample, column, field);
        }
    }

    private static boolean sameShape(BatchSpec.Column column, int[] found) {
        List<Integer> expected = column.shape();
        int differing = column.form() == Form.RAGGED ? 1 : 0;
        if (expected.size() + differing != found.length) {
            return false;
        }
        for (int i = differing; i < found.length; i++) {
            if (expected.get(i - differing) != found[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies stored rows.
     *
     * @param from the first of the samples to copy
     * @param count the number of samples, 0 or more
     * @param row the row of the first of them
     * @throws SampleMismatchException when the field of a column is missing, or has another element type or shape
     */
    void write(SampleRows samples, int from, int count, RowBuffers buffers, int row) {
        StoredRows stored = samples.stored();
        if (known != stored) {
            sources =
                    columns.stream().mapToInt(column -> source(samples, column)).toArray();
            known = stored;
        }
        for (int i = 0; i < sources.length; i++) {
            for (int k = 0; k < count; k++) {
                buffers.own(i, row + k);
                stored.copy(sources[i], samples.index(from + k), buffers.address(i, row + k));
            }
        }
    }

    /** Returns the number of a column's field among those of stored rows. */
    private static int source(SampleRows samples, BatchSpec.Column column) {
        List<StoredRows.Column> fields = samples.stored().columns();
        for (int i = 0; i < fields.size(); i++) {
            StoredRows.Column field = fields.get(i);
            if (field.name().equals(column.name())) {
                if (field.dtype() != column.from() || !field.shape().equals(column.shape())) {
                    Sample sample = samples.describe(0);
                    throw SampleMismatchException.different(sample, column, sample.field(column.name()));
                }
                return i;
            }
        }
        throw SampleMismatchException.missing(samples.describe(0), column);
    }
}

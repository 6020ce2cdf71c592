package io.millrace.dataset.arrow;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.arrow.IpcField.Kind;
import io.millrace.dataset.arrow.IpcLayout.FieldLayout;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A reader of single values of batches. It checks all positions that it reads from the file. Safe for several threads.
 *
 * <p>Tested by {@code ArrowDatasetTest}.
 */
final class IpcValues {
    private static final int VIEW_BYTES = 16;
    private static final int INLINE_BYTES = 12;
    private static final int VIEW_BUFFER_AT = 8;
    private static final int VIEW_OFFSET_AT = 12;

    private final IpcBuffers buffers;

    IpcValues(IpcBuffers buffers) {
        this.buffers = buffers;
    }

    /**
     * Returns the value of a row.
     *
     * @param column a column that {@link IpcColumns} found readable
     * @throws BadSampleException when there is no value, or its position lies outside of the batch
     */
    StoredValue value(IpcBatch batch, FieldLayout column, long row) throws IOException {
        requireValue(batch, column, row);
        IpcField field = column.field();
        return switch (field.kind()) {
            case STRUCT -> picture(batch, column, row);
            case BINARY -> bytesOf(field, bytesInRange(batch, column, row));
            case VIEW -> bytesOf(field, bytesOfView(batch, column, row));
            case LIST, LIST_VIEW -> {
                long[] range = range(batch, column, row);
                StoredValue elements = elements(batch, column.children().get(0), range[0], range[1] - range[0]);
                yield elements.as(Form.LIST);
            }
            case FIXED_LIST -> {
                StoredValue elements = elements(batch, column, row, 1);
                int[] shape =
                        FixedShape.of(field).orElse(Arrays.copyOfRange(elements.shape(), 1, elements.shape().length));
                yield elements.shaped(shape);
            }
            default -> {
                if (field.dictionary().isPresent()) {
                    yield dictionaryValue(batch, column, row);
                }
                if (field.dtype() == null) {
                    yield StoredValue.bytes(
                            buffers.bytes(batch, column.buffer() + 1, row * field.width(), field.width()));
                }
                yield elements(batch, column, row, 1).shaped(new int[0]);
            }
        };
    }

    /** Returns whether a read of a column without compression needs no I/O, because all its values are numbers in memory. */
    boolean isResident(IpcField column) {
        return switch (column.kind()) {
            case FIXED ->
                buffers.resident()
                        && column.dtype() != null
                        && column.dictionary().isEmpty()
                        && WidenedNumbers.keeps(column);
            case FIXED_LIST -> isResident(column.children().get(0));
            default -> false;
        };
    }

    private static StoredValue bytesOf(IpcField field, byte[] bytes) {
        return field.text() ? StoredValue.text(bytes) : StoredValue.bytes(bytes);
    }

    /**
     * Returns the bytes of an image that Hugging Face's datasets stored. Some images are stored only as the path of
     * another file, which is not supported.
     */
    private StoredValue picture(IpcBatch batch, FieldLayout column, long row) throws IOException {
        FieldLayout bytes = column.child("bytes").orElseThrow();
        if (isNull(batch, bytes, row)) {
            throw buffers.badSample(
                    batch,
                    bytes.buffer(),
                    "expected the bytes of an image, found none; images that are stored as a path only are not"
                            + " supported");
        }
        return value(batch, bytes, row);
    }

    private StoredValue dictionaryValue(IpcBatch batch, FieldLayout column, long row) throws IOException {
        IpcField.Dictionary type = column.field().dictionary().orElseThrow();
        IpcDictionary dictionary = batch.dictionaries().get(type.id());
        long number = WidenedNumbers.of(
                column.field(),
                buffers.number(batch, column.buffer() + 1, row, column.field().width()));
        if (dictionary == null || number < 0 || number >= dictionary.size()) {
            throw buffers.badSample(
                    batch,
                    column.buffer() + 1,
                    "expected a number below "
                            + (dictionary == null ? 0 : dictionary.size()) + ", the size of its dictionary, found "
                            + number);
        }
        StoredValue value = dictionaryValue(dictionary.batches(), number);
        return value.form() == Form.TEXT ? value.as(Form.NAME) : value;
    }

    /** Returns a value of a dictionary. */
    StoredValue dictionaryValue(List<IpcBatch> values, long number) throws IOException {
        long before = 0;
        for (IpcBatch batch : values) {
            if (number < before + batch.rows()) {
                return value(batch, batch.layout().fields().get(0), number - before);
            }
            before += batch.rows();
        }
        throw new IndexOutOfBoundsException("dictionary value " + number + " of " + before);
    }

    /** Requires that a column has a row, whose value may be null. */
    void requireRow(IpcBatch batch, FieldLayout column, long row) throws IOException {
        if (row < 0 || row >= batch.length(column.node())) {
            throw buffers.badSample(
                    batch,
                    firstBuffer(column),
                    "expected value " + row + ", found only " + batch.length(column.node()) + " values");
        }
    }

    void requireValue(IpcBatch batch, FieldLayout column, long row) throws IOException {
        requireRow(batch, column, row);
        if (isNull(batch, column, row)) {
            throw buffers.badSample(batch, firstBuffer(column), "expected a value, found null");
        }
    }

    static int firstBuffer(FieldLayout column) {
        return column.field().kind().buffers() == 0 ? 0 : column.buffer();
    }

    boolean isNull(IpcBatch batch, FieldLayout column, long row) throws IOException {
        return column.field().kind() == Kind.NULL
                || (batch.hasNulls(column.node()) && !buffers.bit(batch, column.buffer(), row));
    }

    private byte[] bytesInRange(IpcBatch batch, FieldLayout column, long row) throws IOException {
        long[] range = range(batch, column, row);
        return buffers.bytes(batch, column.buffer() + 2, range[0], range[1] - range[0]);
    }

    /** Returns the begin and the end of the bytes or elements of a row. */
    long[] range(IpcBatch batch, FieldLayout column, long row) throws IOException {
        int width = column.field().width();
        long from = buffers.number(batch, column.buffer() + 1, row, width);
        long to = column.field().kind() == Kind.LIST_VIEW
                ? from + buffers.number(batch, column.buffer() + 2, row, width)
                : buffers.number(batch, column.buffer() + 1, row + 1, width);
        if (from < 0 || to < from) {
            throw buffers.badSample(
                    batch,
                    column.buffer() + 1,
                    "expected a value to begin before it ends, found " + from + " to " + to);
        }
        return new long[] {from, to};
    }

    private byte[] bytesOfView(IpcBatch batch, FieldLayout column, long row) throws IOException {
        byte[] view = buffers.bytes(batch, column.buffer() + 1, row * VIEW_BYTES, VIEW_BYTES);
        ByteBuffer fields = ByteBuffer.wrap(view).order(ByteOrder.LITTLE_ENDIAN);
        int length = fields.getInt(0);
        if (length >= 0 && length <= INLINE_BYTES) {
            return Arrays.copyOfRange(view, Integer.BYTES, Integer.BYTES + length);
        }
        int number = fields.getInt(VIEW_BUFFER_AT);
        if (length < 0 || number < 0 || number >= column.views()) {
            throw buffers.badSample(
                    batch,
                    column.buffer() + 1,
                    "expected a view of a buffer with a number below " + column.views() + ", found " + number);
        }
        return buffers.bytes(batch, column.buffer() + 2 + number, fields.getInt(VIEW_OFFSET_AT), length);
    }

    /** Returns consecutive values: numbers, or lists of numbers that all have the same length. */
    private StoredValue elements(IpcBatch batch, FieldLayout column, long from, long count) throws IOException {
        requireValues(batch, column, from, count);
        IpcField field = column.field();
        return switch (field.kind()) {
            case BOOL -> bits(batch, column, from, (int) count);
            case FIXED -> numbers(batch, column, from, count);
            case FIXED_LIST -> {
                long size = field.listSize();
                StoredValue inner = elements(batch, column.children().get(0), from * size, count * size);
                yield nested((int) count, (int) size, inner);
            }
            case LIST, LIST_VIEW -> lists(batch, column, from, (int) count);
            default -> throw new IllegalStateException("elements of " + field.type());
        };
    }

    private StoredValue numbers(IpcBatch batch, FieldLayout column, long from, long count) throws IOException {
        IpcField field = column.field();
        DType dtype = Objects.requireNonNull(field.dtype());
        int[] shape = {(int) count};
        int buffer = column.buffer() + 1;
        long first = from * field.width();
        long bytes = count * field.width();
        ByteBuffer stored = WidenedNumbers.keeps(field) ? buffers.stored(batch, buffer, first, bytes) : null;
        return stored != null
                ? StoredValue.fixed(Field.stored(dtype, shape, stored))
                : StoredValue.fixed(
                        dtype,
                        shape,
                        WidenedNumbers.of(
                                field,
                                buffers.bytes(batch, buffer, first, bytes),
                                reason -> buffers.badSample(batch, buffer, reason)));
    }

    private void requireValues(IpcBatch batch, FieldLayout column, long from, long count) throws IOException {
        long length = batch.length(column.node());
        if (from < 0 || count < 0 || from > length || count > Math.min(length - from, Integer.MAX_VALUE)) {
            throw buffers.badSample(
                    batch,
                    firstBuffer(column),
                    "expected " + count + " elements from " + from + " on, found only " + length
                            + " elements in total");
        }
        if (batch.hasNulls(column.node())) {
            for (long i = from; i < from + count; i++) {
                requireValue(batch, column, i);
            }
        }
    }

    private StoredValue bits(IpcBatch batch, FieldLayout column, long from, int count) throws IOException {
        // One byte of bits becomes eight bytes of values. The bits are read first, so a buffer that is too short is
        // detected before memory for the values is allocated.
        long firstByte = from / Byte.SIZE;
        long bytes = (from + count + Byte.SIZE - 1) / Byte.SIZE - firstByte;
        byte[] packed = buffers.bytes(batch, column.buffer() + 1, firstByte, bytes);
        byte[] values = new byte[count];
        for (int i = 0; i < count; i++) {
            int bit = (int) (from - firstByte * Byte.SIZE) + i;
            values[i] = (byte) (packed[bit / Byte.SIZE] >> (bit % Byte.SIZE) & 1);
        }
        return StoredValue.fixed(DType.BOOL, new int[] {count}, values);
    }

    private StoredValue lists(IpcBatch batch, FieldLayout column, long from, int count) throws IOException {
        if (count == 0) {
            return nested(0, 0, elements(batch, column.children().get(0), 0, 0));
        }
        long[] first = range(batch, column, from);
        long size = first[1] - first[0];
        long end = first[1];
        for (long i = from + 1; i < from + count; i++) {
            long[] range = range(batch, column, i);
            if (range[1] - range[0] != size || range[0] != end) {
                throw buffers.badSample(
                        batch,
                        column.buffer() + 1,
                        "expected inner lists of one length, found " + size + " and " + (range[1] - range[0])
                                + " elements");
            }
            end = range[1];
        }
        return nested(count, (int) size, elements(batch, column.children().get(0), first[0], end - first[0]));
    }

    private static StoredValue nested(int count, int size, StoredValue inner) {
        int[] shape = new int[inner.shape().length + 1];
        shape[0] = count;
        shape[1] = size;
        System.arraycopy(inner.shape(), 1, shape, 2, inner.shape().length - 1);
        return inner.shaped(shape);
    }
}

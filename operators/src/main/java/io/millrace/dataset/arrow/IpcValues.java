package io.millrace.dataset.arrow;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.arrow.IpcField.Kind;
import io.millrace.dataset.arrow.IpcLayout.Part;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Reads single values of batches by their place. All places that come out of the file are checked. For any thread. */
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
     * The value of a row.
     *
     * @param part a column that {@link IpcColumns} found fit to be read
     * @throws BadSampleException when there is none, or its place is outside of the batch
     */
    StoredValue value(IpcBatch batch, Part part, long row) throws IOException {
        requireValue(batch, part, row);
        IpcField field = part.field();
        return switch (field.kind()) {
            case STRUCT -> picture(batch, part, row);
            case BINARY -> bytesOf(field, ranged(batch, part, row));
            case VIEW -> bytesOf(field, viewed(batch, part, row));
            case LIST, LIST_VIEW -> {
                long[] range = range(batch, part, row);
                StoredValue elements = elements(batch, part.children().get(0), range[0], range[1] - range[0]);
                yield elements.as(Form.LIST);
            }
            case FIXED_LIST -> {
                StoredValue elements = elements(batch, part, row, 1);
                int[] shape =
                        FixedShape.of(field).orElse(Arrays.copyOfRange(elements.shape(), 1, elements.shape().length));
                yield StoredValue.fixed(elements.dtype(), shape, elements.data());
            }
            default -> {
                if (field.dictionary().isPresent()) {
                    yield named(batch, part, row);
                }
                if (field.dtype() == null) {
                    yield StoredValue.bytes(
                            buffers.bytes(batch, part.buffer() + 1, row * field.width(), field.width()));
                }
                yield StoredValue.fixed(
                        field.dtype(), new int[0], elements(batch, part, row, 1).data());
            }
        };
    }

    private static StoredValue bytesOf(IpcField field, byte[] bytes) {
        return field.text() ? StoredValue.text(bytes) : StoredValue.bytes(bytes);
    }

    /** An image as Hugging Face keeps it: its bytes, or only the path of a file elsewhere, which is not followed. */
    private StoredValue picture(IpcBatch batch, Part part, long row) throws IOException {
        Part bytes = part.child("bytes").orElseThrow();
        if (isNull(batch, bytes, row)) {
            throw buffers.malformed(
                    batch,
                    bytes.buffer(),
                    "expected the bytes of an image, found none; images that are only named by path are not fetched");
        }
        return value(batch, bytes, row);
    }

    private StoredValue named(IpcBatch batch, Part part, long row) throws IOException {
        IpcField.Dictionary type = part.field().dictionary().orElseThrow();
        IpcDictionary dictionary = batch.dictionaries().get(type.id());
        long number = buffers.number(batch, part.buffer() + 1, row, part.field().width());
        if (dictionary == null || number < 0 || number >= dictionary.size()) {
            throw buffers.malformed(
                    batch,
                    part.buffer() + 1,
                    "expected a number below "
                            + (dictionary == null ? 0 : dictionary.size()) + ", the size of its dictionary, found "
                            + number);
        }
        StoredValue value = named(dictionary.batches(), number);
        return value.form() == Form.TEXT ? value.as(Form.NAME) : value;
    }

    /** A value of a dictionary. */
    StoredValue named(List<IpcBatch> values, long number) throws IOException {
        long before = 0;
        for (IpcBatch batch : values) {
            if (number < before + batch.rows()) {
                return value(batch, batch.layout().parts().get(0), number - before);
            }
            before += batch.rows();
        }
        throw new IndexOutOfBoundsException("dictionary value " + number + " of " + before);
    }

    void requireValue(IpcBatch batch, Part part, long row) throws IOException {
        if (row < 0 || row >= batch.length(part.node())) {
            throw buffers.malformed(
                    batch, firstBuffer(part), "expected value " + row + " below " + batch.length(part.node()));
        }
        if (isNull(batch, part, row)) {
            throw buffers.malformed(batch, firstBuffer(part), "expected a value, found null");
        }
    }

    private static int firstBuffer(Part part) {
        return part.field().kind().buffers() == 0 ? 0 : part.buffer();
    }

    private boolean isNull(IpcBatch batch, Part part, long row) throws IOException {
        return part.field().kind() == Kind.NULL
                || (batch.hasNulls(part.node()) && !buffers.bit(batch, part.buffer(), row));
    }

    private byte[] ranged(IpcBatch batch, Part part, long row) throws IOException {
        long[] range = range(batch, part, row);
        return buffers.bytes(batch, part.buffer() + 2, range[0], range[1] - range[0]);
    }

    /** Where the bytes or elements of a row begin and end. */
    private long[] range(IpcBatch batch, Part part, long row) throws IOException {
        int width = part.field().width();
        long from = buffers.number(batch, part.buffer() + 1, row, width);
        long to = part.field().kind() == Kind.LIST_VIEW
                ? from + buffers.number(batch, part.buffer() + 2, row, width)
                : buffers.number(batch, part.buffer() + 1, row + 1, width);
        if (from < 0 || to < from) {
            throw buffers.malformed(
                    batch, part.buffer() + 1, "expected a value to begin before it ends, found " + from + " to " + to);
        }
        return new long[] {from, to};
    }

    private byte[] viewed(IpcBatch batch, Part part, long row) throws IOException {
        byte[] view = buffers.bytes(batch, part.buffer() + 1, row * VIEW_BYTES, VIEW_BYTES);
        ByteBuffer fields = ByteBuffer.wrap(view).order(ByteOrder.LITTLE_ENDIAN);
        int length = fields.getInt(0);
        if (length >= 0 && length <= INLINE_BYTES) {
            return Arrays.copyOfRange(view, Integer.BYTES, Integer.BYTES + length);
        }
        int number = fields.getInt(VIEW_BUFFER_AT);
        if (length < 0 || number < 0 || number >= part.views()) {
            throw buffers.malformed(
                    batch,
                    part.buffer() + 1,
                    "expected a view of a buffer below " + part.views() + ", found " + number);
        }
        return buffers.bytes(batch, part.buffer() + 2 + number, fields.getInt(VIEW_OFFSET_AT), length);
    }

    /** Values from one on, next to each other: numbers, or lists of them that all are as long as the first. */
    private StoredValue elements(IpcBatch batch, Part part, long from, long count) throws IOException {
        requireValues(batch, part, from, count);
        IpcField field = part.field();
        return switch (field.kind()) {
            case BOOL -> bits(batch, part, from, (int) count);
            case FIXED ->
                StoredValue.fixed(
                        java.util.Objects.requireNonNull(field.dtype()),
                        new int[] {(int) count},
                        Widened.of(
                                field,
                                buffers.bytes(batch, part.buffer() + 1, from * field.width(), count * field.width()),
                                reason -> buffers.malformed(batch, part.buffer() + 1, reason)));
            case FIXED_LIST -> {
                long size = field.listSize();
                StoredValue inner = elements(batch, part.children().get(0), from * size, count * size);
                yield nested((int) count, (int) size, inner);
            }
            case LIST, LIST_VIEW -> lists(batch, part, from, (int) count);
            default -> throw new IllegalStateException("elements of " + field.type());
        };
    }

    private void requireValues(IpcBatch batch, Part part, long from, long count) throws IOException {
        long length = batch.length(part.node());
        if (from < 0 || count < 0 || from > length || count > Math.min(length - from, Integer.MAX_VALUE)) {
            throw buffers.malformed(
                    batch, firstBuffer(part), "expected " + count + " elements from " + from + " on of " + length);
        }
        if (batch.hasNulls(part.node())) {
            for (long i = from; i < from + count; i++) {
                requireValue(batch, part, i);
            }
        }
    }

    private StoredValue bits(IpcBatch batch, Part part, long from, int count) throws IOException {
        // One byte of bits gives eight of values: what the buffer lacks is noticed before memory is taken.
        long firstByte = from / Byte.SIZE;
        long bytes = (from + count + Byte.SIZE - 1) / Byte.SIZE - firstByte;
        byte[] packed = buffers.bytes(batch, part.buffer() + 1, firstByte, bytes);
        byte[] values = new byte[count];
        for (int i = 0; i < count; i++) {
            int bit = (int) (from - firstByte * Byte.SIZE) + i;
            values[i] = (byte) (packed[bit / Byte.SIZE] >> (bit % Byte.SIZE) & 1);
        }
        return StoredValue.fixed(DType.BOOL, new int[] {count}, values);
    }

    private StoredValue lists(IpcBatch batch, Part part, long from, int count) throws IOException {
        if (count == 0) {
            return nested(0, 0, elements(batch, part.children().get(0), 0, 0));
        }
        long[] first = range(batch, part, from);
        long size = first[1] - first[0];
        long end = first[1];
        for (long i = from + 1; i < from + count; i++) {
            long[] range = range(batch, part, i);
            if (range[1] - range[0] != size || range[0] != end) {
                throw buffers.malformed(
                        batch,
                        part.buffer() + 1,
                        "expected inner lists of one length, found " + size + " and " + (range[1] - range[0])
                                + " elements");
            }
            end = range[1];
        }
        return nested(count, (int) size, elements(batch, part.children().get(0), first[0], end - first[0]));
    }

    private static StoredValue nested(int count, int size, StoredValue inner) {
        int[] shape = new int[inner.shape().length + 1];
        shape[0] = count;
        shape[1] = size;
        System.arraycopy(inner.shape(), 1, shape, 2, inner.shape().length - 1);
        return StoredValue.fixed(inner.dtype(), shape, inner.data());
    }
}

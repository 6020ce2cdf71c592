package io.millrace.dataset.hdf5;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import io.millrace.sample.DType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One dataset of a file. Its first extent counts the rows. Safe for several threads.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class StoredArray {
    private static final int MAX_ROW_BYTES = 1 << 30;

    private final Hdf5Bytes bytes;
    private final String name;
    private final ElementType type;
    private final long rows;
    private final int[] shape;
    private final int rowBytes;
    private final RowBytes reader;
    private final GlobalHeap heap;

    /** The source of the bytes of rows. */
    @FunctionalInterface
    interface RowBytes {
        byte[] read(long row) throws IOException;

        /** Returns the offset of a row in the file, or -1. */
        default long position(long row) {
            return -1;
        }
    }

    private StoredArray(
            Hdf5Bytes bytes, String name, ElementType type, long rows, int[] shape, int rowBytes, RowBytes reader) {
        this.bytes = bytes;
        this.name = name;
        this.type = type;
        this.rows = rows;
        this.shape = shape;
        this.rowBytes = rowBytes;
        this.reader = reader;
        this.heap = new GlobalHeap(bytes);
    }

    /**
     * Returns the array of a dataset after a check that it is supported.
     *
     * @throws UnsupportedHdf5Exception when the dataset is of a kind that is not supported
     */
    static StoredArray of(Hdf5Bytes bytes, String name, ObjectHeader header, LoadedCache<Chunks.CacheKey, byte[]> cache)
            throws IOException {
        ElementType type = ElementType.read(required(header, ObjectHeader.DATATYPE));
        Dataspace space = Dataspace.read(required(header, ObjectHeader.DATASPACE));
        long[] extents = space.extents();
        if (type.kind() != ElementType.Kind.NUMBER && extents.length != 1) {
            throw new UnsupportedHdf5Exception(
                    "of text or lists has the extents " + Arrays.toString(extents) + "; expected one extent");
        }
        List<Integer> shape = new ArrayList<>();
        long rowBytes = type.bytes();
        if (rowBytes > MAX_ROW_BYTES) {
            throw new UnsupportedHdf5Exception(
                    "has elements of " + rowBytes + " bytes; expected at most " + MAX_ROW_BYTES);
        }
        for (int i = 1; i < extents.length; i++) {
            if (extents[i] > MAX_ROW_BYTES || rowBytes * extents[i] > MAX_ROW_BYTES) {
                throw new UnsupportedHdf5Exception("has rows of more than " + MAX_ROW_BYTES + " bytes: its extents are "
                        + Arrays.toString(extents));
            }
            rowBytes *= extents[i];
            shape.add((int) extents[i]);
        }
        shape.addAll(type.extents());
        List<Filter> filters = Filter.read(header.find(ObjectHeader.FILTERS));
        DataLayout layout = DataLayout.read(header, bytes, space, type.bytes(), !filters.isEmpty());
        byte[] fill = FillValue.of(header, type.bytes());
        RowBytes reader;
        if (layout instanceof DataLayout.Chunked chunked) {
            reader = new Chunks(bytes, chunked, filters, extents, fill, type.bytes(), cache);
        } else if (layout instanceof DataLayout.Compact compact) {
            reader = HeldRows.compact(compact.content(), extents[0], (int) rowBytes);
        } else {
            long address = ((DataLayout.Contiguous) layout).address();
            int unwrittenBytes = (int) rowBytes;
            reader = address == -1
                    ? row -> FillValue.repeated(fill, unwrittenBytes)
                    : Contiguous.of(bytes, address, extents[0], (int) rowBytes);
        }
        return new StoredArray(
                bytes,
                name,
                type,
                extents[0],
                shape.stream().mapToInt(Integer::intValue).toArray(),
                (int) rowBytes,
                reader);
    }

    private static Cursor required(ObjectHeader header, int message) throws IOException {
        Optional<Cursor> found = header.find(message);
        if (found.isEmpty()) {
            throw new MalformedHdf5Exception(0, "expected a message of type " + message + ", found none");
        }
        return found.get();
    }

    long rows() {
        return rows;
    }

    String name() {
        return name;
    }

    String describe() {
        return type.describe() + Arrays.toString(shape);
    }

    /** Returns whether a row is one number or one text. */
    boolean isSingle() {
        return shape.length == 0 && type.kind() != ElementType.Kind.LIST;
    }

    /** Returns the element type of numbers and of lists of numbers; empty for text. */
    Optional<DType> dtype() {
        return type.dtype();
    }

    long position(long row) {
        return reader.position(row);
    }

    /** Returns the value of a row. */
    StoredValue value(long row) throws IOException {
        try {
            byte[] stored = reader.read(row);
            if (stored.length != rowBytes) {
                throw badSample(reader.position(row), "expected " + rowBytes + " bytes, found " + stored.length);
            }
            return switch (type.kind()) {
                case NUMBER -> {
                    NumberType number = Objects.requireNonNull(type.number());
                    yield StoredValue.fixed(number.dtype(), shape.clone(), number.decode(stored));
                }
                case TERMINATED_TEXT -> StoredValue.text(beforeZero(stored));
                case ZERO_PADDED_TEXT -> StoredValue.text(withoutPadding(stored, 0));
                case SPACE_PADDED_TEXT -> StoredValue.text(withoutPadding(stored, ' '));
                case TEXT -> StoredValue.text(beforeZero(referencedBytes(row, stored, 1)));
                case LIST -> list(row, stored);
            };
        } catch (MalformedHdf5Exception e) {
            BadSampleException badSample = badSample(e.offset(), e.getMessage());
            badSample.initCause(e);
            throw badSample;
        } catch (UnsupportedHdf5Exception e) {
            BadSampleException badSample = badSample(reader.position(row), e.getMessage());
            badSample.initCause(e);
            throw badSample;
        }
    }

    private BadSampleException badSample(long offset, @org.jspecify.annotations.Nullable String reason) {
        return new BadSampleException(bytes.file().name(), offset, String.valueOf(reason));
    }

    private static byte[] beforeZero(byte[] text) {
        int end = 0;
        while (end < text.length && text[end] != 0) {
            end++;
        }
        return end == text.length ? text : Arrays.copyOf(text, end);
    }

    private static byte[] withoutPadding(byte[] text, int padding) {
        int end = text.length;
        while (end > 0 && text[end - 1] == padding) {
            end--;
        }
        return Arrays.copyOf(text, end);
    }

    private StoredValue list(long row, byte[] reference) throws IOException {
        NumberType number = Objects.requireNonNull(type.number());
        byte[] data = number.decode(referencedBytes(row, reference, number.bytes()));
        DType dtype = number.dtype();
        if (dtype == DType.UINT8) {
            return StoredValue.bytes(data);
        }
        return StoredValue.fixed(dtype, new int[] {data.length / dtype.bytes()}, data)
                .as(Form.LIST);
    }

    /**
     * Returns the bytes that a reference points to. The reference holds the number of elements, the heap, and the
     * object's number.
     */
    private byte[] referencedBytes(long row, byte[] reference, int width) throws IOException {
        Cursor fields =
                Cursor.of(reference, Math.max(0, reader.position(row)), bytes.offsetBytes(), bytes.lengthBytes());
        long count = fields.uint32();
        long address = fields.address();
        return heap.read(address, (int) fields.uint32(), count * width);
    }
}

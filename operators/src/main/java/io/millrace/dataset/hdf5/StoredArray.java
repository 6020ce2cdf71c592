package io.millrace.dataset.hdf5;

import io.jhdf.api.Dataset;
import io.jhdf.api.dataset.ChunkedDataset;
import io.jhdf.api.dataset.ContiguousDataset;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/** One dataset of a file. Its first extent counts the rows. Safe for several threads. */
final class StoredArray {
    private static final int MAX_ROW_BYTES = 1 << 30;
    private static final int MAX_RANK = 32;

    private final RangedFile file;
    private final String name;
    private final ElementType type;
    private final long rows;
    private final int[] shape;
    private final int rowBytes;
    private final RowBytes reader;
    private final GlobalHeap heap;

    /** The source of the bytes of rows. */
    interface RowBytes {
        byte[] read(long row) throws IOException;

        /** Returns the offset of a row in the file, or -1. */
        long position(long row);
    }

    private StoredArray(
            RangedFile file,
            String name,
            ElementType type,
            long[] extents,
            int rowBytes,
            RowBytes reader,
            GlobalHeap heap) {
        this.file = file;
        this.name = name;
        this.type = type;
        this.rows = extents[0];
        this.shape = new int[extents.length - 1];
        for (int i = 0; i < shape.length; i++) {
            shape[i] = (int) extents[i + 1];
        }
        this.rowBytes = rowBytes;
        this.reader = reader;
        this.heap = heap;
    }

    /**
     * Returns the array of a dataset after a check that it is supported.
     *
     * @param userBlock the number of bytes before the HDF5 data begins
     * @throws DatasetException when the dataset is of a kind that is not supported
     */
    static StoredArray of(
            RangedFile file, String name, Dataset dataset, long userBlock, LoadedCache<Chunks.CacheKey, byte[]> cache)
            throws DatasetException {
        long[] extents = dataset.getDimensionsAsLong().clone();
        ElementType type = ElementType.of(dataset.getDataType())
                .orElseThrow(
                        () -> new DatasetException(file.name() + ": dataset '" + name + "' has elements of the type "
                                + dataset.getDataType().getClass().getSimpleName() + " of "
                                + dataset.getDataType().getSize() + " bytes, which is not supported"));
        if (extents.length == 0 || extents.length > MAX_RANK) {
            throw new DatasetException(file.name() + ": dataset '" + name
                    + "' has no rows; expected at least one extent, found " + Arrays.toString(extents));
        }
        boolean single = extents.length == 1;
        if (type.kind() != ElementType.Kind.NUMBER && !single) {
            throw new DatasetException(file.name() + ": dataset '" + name + "' of text or lists has the extents "
                    + Arrays.toString(extents) + "; expected one extent");
        }
        long bytes = type.bytes();
        for (int i = 1; i < extents.length; i++) {
            if (extents[i] < 0 || extents[i] > MAX_ROW_BYTES || bytes * extents[i] > MAX_ROW_BYTES) {
                throw new DatasetException(file.name() + ": dataset '" + name + "' has rows of more than "
                        + MAX_ROW_BYTES + " bytes: its extents are " + Arrays.toString(extents));
            }
            bytes *= extents[i];
        }
        int rowBytes = (int) bytes;
        RowBytes reader;
        if (dataset instanceof ContiguousDataset contiguous && !dataset.isEmpty()) {
            reader = Contiguous.of(
                    file, name, Math.addExact(contiguous.getDataAddress(), userBlock), extents[0], rowBytes);
        } else if (dataset instanceof ChunkedDataset chunked) {
            reader = Chunks.of(file, name, chunked, extents, type.bytes(), cache);
        } else {
            throw new DatasetException(file.name() + ": dataset '" + name + "' has the layout "
                    + dataset.getDataLayout() + (dataset.isEmpty() ? " and is empty" : "")
                    + "; expected a contiguous layout or chunks");
        }
        return new StoredArray(file, name, type, extents, rowBytes, reader, new GlobalHeap(file, userBlock));
    }

    long rows() {
        return rows;
    }

    String name() {
        return name;
    }

    String describe() {
        return type.kind().name().toLowerCase(java.util.Locale.ROOT) + " "
                + (type.dtype() == null ? "" : type.dtype().name().toLowerCase(java.util.Locale.ROOT))
                + Arrays.toString(shape);
    }

    long position(long row) {
        return reader.position(row);
    }

    /** Returns the value of a row. */
    StoredValue value(long row) throws IOException {
        byte[] stored = reader.read(row);
        if (stored.length != rowBytes) {
            throw new BadSampleException(
                    file.name(), reader.position(row), "expected " + rowBytes + " bytes, found " + stored.length);
        }
        return switch (type.kind()) {
            case NUMBER ->
                StoredValue.fixed(
                        Objects.requireNonNull(type.dtype()), shape.clone(), type.littleEndian(stored, type.bytes()));
            case FIXED_TEXT -> StoredValue.text(withoutPadding(stored));
            case TEXT -> StoredValue.text(referencedBytes(row, stored, 1));
            case LIST -> list(row, stored);
        };
    }

    private static byte[] withoutPadding(byte[] text) {
        int end = text.length;
        while (end > 0 && (text[end - 1] == 0 || text[end - 1] == ' ')) {
            end--;
        }
        return Arrays.copyOf(text, end);
    }

    private StoredValue list(long row, byte[] reference) throws IOException {
        DType dtype = Objects.requireNonNull(type.dtype());
        byte[] data = referencedBytes(row, reference, dtype.bytes());
        if (dtype == DType.UINT8) {
            return StoredValue.bytes(data);
        }
        return StoredValue.fixed(dtype, new int[] {data.length / dtype.bytes()}, type.littleEndian(data, dtype.bytes()))
                .as(Form.LIST);
    }

    /**
     * Returns the bytes that a reference points to. The reference holds the number of elements, the heap, and the
     * object's number.
     */
    private byte[] referencedBytes(long row, byte[] reference, int width) throws IOException {
        ByteBuffer fields = ByteBuffer.wrap(reference).order(ByteOrder.LITTLE_ENDIAN);
        if (fields.remaining() < Integer.BYTES + Long.BYTES + Integer.BYTES) {
            throw new BadSampleException(
                    file.name(), reader.position(row), "expected a reference of 16 bytes, found " + reference.length);
        }
        long count = Integer.toUnsignedLong(fields.getInt());
        return heap.read(fields.getLong(), fields.getInt(), count * width);
    }
}

package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The place where a dataset's elements are stored.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
sealed interface DataLayout {
    /** Elements that are stored in the dataset's header. */
    record Compact(Cursor content) implements DataLayout {}

    /** Elements one after the other; the address is -1 when none was written. */
    record Contiguous(long address) implements DataLayout {}

    /**
     * Elements in chunks.
     *
     * @param chunk the extents of a chunk
     * @param edgesFiltered whether filters were also applied to chunks that reach beyond the dataset's extents
     */
    record Chunked(List<Integer> chunk, ChunkIndex index, boolean edgesFiltered) implements DataLayout {}

    /** The largest number of bytes in a chunk. */
    long MOST_CHUNK_BYTES = 1 << 30;

    /**
     * Reads a data layout message (HDF5 File Format Specification, IV.A.2.i).
     *
     * @throws UnsupportedHdf5Exception when the elements are stored in other files
     */
    static DataLayout read(ObjectHeader header, Hdf5Bytes bytes, Dataspace space, int elementBytes, boolean filtered)
            throws IOException {
        if (header.find(ObjectHeader.EXTERNAL_FILES).isPresent()) {
            throw new UnsupportedHdf5Exception("has its values in other files, which are not read");
        }
        Optional<Cursor> found = header.find(ObjectHeader.LAYOUT);
        if (found.isEmpty()) {
            throw new MalformedHdf5Exception(0, "expected a data layout, found none");
        }
        Cursor message = found.get();
        int version = message.version("a data layout", 1, 5);
        if (version < 3) {
            return old(message, bytes, space, elementBytes);
        }
        int kind = message.uint8();
        return switch (kind) {
            case 0 -> new Compact(message.part(message.uint16()));
            case 1 -> new Contiguous(message.address());
            case 2 ->
                version == 3
                        ? tree(message, bytes, space, elementBytes)
                        : indexed(message, bytes, space, elementBytes, filtered);
            case 3 ->
                throw new UnsupportedHdf5Exception("is virtual: its values are those of other datasets, which"
                        + " is not supported; copy the values into a dataset of their own");
            default -> throw message.malformed("expected a layout of 0 to 3, found " + kind);
        };
    }

    private static DataLayout old(Cursor message, Hdf5Bytes bytes, Dataspace space, int elementBytes)
            throws IOException {
        int rank = message.uint8();
        int kind = message.uint8();
        message.skip(5);
        long address = kind == 0 ? -1 : message.address();
        if (kind == 1) {
            return new Contiguous(address);
        }
        if (kind == 2) {
            int[] chunk = chunk(message, rank, Integer.BYTES, space, elementBytes);
            return new Chunked(boxed(chunk), new TreeOfChunks(bytes, address, chunk), true);
        }
        if (kind != 0) {
            throw message.malformed("expected a layout of 0 to 2, found " + kind);
        }
        message.skip(rank * Integer.BYTES);
        return new Compact(message.part((int) Math.min(message.uint32(), Integer.MAX_VALUE)));
    }

    private static DataLayout tree(Cursor message, Hdf5Bytes bytes, Dataspace space, int elementBytes)
            throws IOException {
        int rank = message.uint8();
        long address = message.address();
        int[] chunk = chunk(message, rank, Integer.BYTES, space, elementBytes);
        return new Chunked(boxed(chunk), new TreeOfChunks(bytes, address, chunk), true);
    }

    private static DataLayout indexed(
            Cursor message, Hdf5Bytes bytes, Dataspace space, int elementBytes, boolean filtered) throws IOException {
        int flags = message.uint8();
        int rank = message.uint8();
        int width = message.uint8();
        int[] chunk = chunk(message, rank, width, space, elementBytes);
        long chunkBytes = elementBytes;
        for (int extent : chunk) {
            chunkBytes *= extent;
        }
        int kind = message.uint8();
        long stored = chunkBytes;
        int mask = 0;
        switch (kind) {
            case 1 -> {
                if ((flags & 2) != 0) {
                    stored = message.length();
                    mask = (int) message.uint32();
                }
            }
            case 2 -> {}
            case 3 -> message.skip(1);
            case 4 -> message.skip(5);
            case 5 -> message.skip(6);
            default -> throw message.malformed("expected an index of chunks of 1 to 5, found " + kind);
        }
        long address = message.address();
        ChunkNumbers numbers = ChunkNumbers.of(space, chunk);
        return new Chunked(
                boxed(chunk),
                index(bytes, kind, address, numbers, chunkBytes, stored, mask, chunk.length),
                !filtered || (flags & 1) == 0);
    }

    private static ChunkIndex index(
            Hdf5Bytes bytes,
            int kind,
            long address,
            ChunkNumbers numbers,
            long chunkBytes,
            long stored,
            int mask,
            int rank)
            throws IOException {
        if (address == -1) {
            return place -> Optional.empty();
        }
        return switch (kind) {
            case 1 -> place -> ChunkIndex.at(address, stored, mask);
            case 2 ->
                place -> ChunkIndex.at(address + Math.multiplyExact(numbers.of(place), chunkBytes), chunkBytes, 0);
            case 3 -> new FixedArray(bytes, address, numbers, chunkBytes);
            case 4 -> new ExtensibleArray(bytes, address, numbers, chunkBytes);
            default -> Tree2OfChunks.of(bytes, address, rank, chunkBytes);
        };
    }

    /** Reads the extents of a chunk. The last extent in the file is the size of an element. */
    private static int[] chunk(Cursor message, int rank, int width, Dataspace space, int elementBytes)
            throws MalformedHdf5Exception, UnsupportedHdf5Exception {
        if (rank != space.extents().length + 1 || width < 1 || width > Long.BYTES) {
            throw message.malformed("expected chunks with " + space.extents().length + " extents, found " + (rank - 1));
        }
        int[] chunk = new int[rank - 1];
        long total = elementBytes;
        for (int i = 0; i < chunk.length; i++) {
            long extent = message.unsigned(width);
            if (extent == 0) {
                throw message.malformed("expected the extents of a chunk, found 0");
            }
            if (extent < 0 || extent > MOST_CHUNK_BYTES || total * extent > MOST_CHUNK_BYTES) {
                throw new UnsupportedHdf5Exception("has chunks of more than " + MOST_CHUNK_BYTES
                        + " bytes, which are not read; write it with smaller chunks");
            }
            total *= extent;
            chunk[i] = (int) extent;
        }
        long element = message.unsigned(width);
        if (element != elementBytes) {
            throw message.malformed("expected elements of " + elementBytes + " bytes, found " + element);
        }
        return chunk;
    }

    private static List<Integer> boxed(int[] chunk) {
        return Arrays.stream(chunk).boxed().toList();
    }
}

package io.millrace.dataset.hdf5;

import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.hdf5.ChunkIndex.StoredChunk;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Rows that are stored in chunks. Each chunk is compressed by itself, and decompressed chunks are kept in a cache. Safe
 * for several threads.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class Chunks implements StoredArray.RowBytes {
    /** The key of a chunk in the cache: its offset in the dataset. */
    record CacheKey(Chunks chunks, List<Integer> offset) {}

    /** The content of a chunk whose elements all have the fill value. */
    private static final byte[] NEVER_WRITTEN = {};

    /** The least number of bytes by which a chunk makes a file larger. */
    private static final int LEAST_CHUNK_BYTES = 8;

    private final Hdf5Bytes bytes;
    private final DataLayout.Chunked layout;
    private final long[] extents;
    private final int[] chunk;
    private final byte[] fill;
    private final int elementBytes;
    private final int chunkBytes;
    private final List<Filter> filters;
    private final LoadedCache<CacheKey, byte[]> cache;

    /**
     * Creates the rows of a dataset.
     *
     * @param fill the bytes of an element that was never written; none where they are zeros
     */
    Chunks(
            Hdf5Bytes bytes,
            DataLayout.Chunked layout,
            List<Filter> filters,
            long[] extents,
            byte[] fill,
            int elementBytes,
            LoadedCache<CacheKey, byte[]> cache)
            throws UnsupportedHdf5Exception {
        this.bytes = bytes;
        this.layout = layout;
        this.extents = extents;
        this.chunk = layout.chunk().stream().mapToInt(Integer::intValue).toArray();
        this.fill = fill;
        this.elementBytes = elementBytes;
        this.filters = filters;
        this.cache = cache;
        int product = elementBytes;
        for (int extent : chunk) {
            product *= extent;
        }
        this.chunkBytes = product;
        if (extents[0] > Integer.MAX_VALUE) {
            throw new UnsupportedHdf5Exception(
                    "has " + extents[0] + " rows in chunks; expected at most " + Integer.MAX_VALUE);
        }
        double chunksOfRow = 1;
        for (int i = 1; i < extents.length; i++) {
            chunksOfRow *= Math.ceil((double) extents[i] / chunk[i]);
        }
        if (chunksOfRow * LEAST_CHUNK_BYTES > bytes.file().size()) {
            throw new UnsupportedHdf5Exception("of " + Arrays.toString(extents) + " has chunks of " + layout.chunk()
                    + ", and the file cannot hold as many chunks as a row has");
        }
        String unknown = ChunkFilters.unknown(filters);
        if (!unknown.isEmpty()) {
            throw new UnsupportedHdf5Exception(
                    "is compressed with " + unknown + ", which is not supported; write it with gzip");
        }
    }

    @Override
    public byte[] read(long row) throws IOException {
        int rowBytes = elementBytes;
        for (int i = 1; i < extents.length; i++) {
            rowBytes *= (int) extents[i];
        }
        byte[] target = FillValue.repeated(fill, rowBytes);
        int[] offset = new int[chunk.length];
        offset[0] = (int) (row / chunk[0] * chunk[0]);
        visit(1, offset, row, target);
        return target;
    }

    /** Visits all chunks that hold a part of the row. Their offsets cover every extent except the first. */
    private void visit(int dimension, int[] offset, long row, byte[] target) throws IOException {
        if (dimension == chunk.length) {
            byte[] content = chunkAt(offset);
            if (content.length > 0) {
                copy(content, offset, row, target);
            }
            return;
        }
        for (long at = 0; at < extents[dimension]; at += chunk[dimension]) {
            offset[dimension] = (int) at;
            visit(dimension + 1, offset, row, target);
        }
    }

    private byte[] chunkAt(int[] offset) throws IOException {
        CacheKey key = new CacheKey(this, Arrays.stream(offset).boxed().toList());
        int[] own = offset.clone();
        return cache.get(key, () -> load(own));
    }

    private byte[] load(int[] offset) throws IOException {
        long[] place = new long[chunk.length];
        boolean edge = false;
        for (int i = 0; i < chunk.length; i++) {
            place[i] = offset[i] / chunk[i];
            edge |= offset[i] + (long) chunk[i] > extents[i];
        }
        Optional<StoredChunk> found = layout.index().find(place);
        if (found.isEmpty()) {
            return NEVER_WRITTEN;
        }
        StoredChunk stored = found.get();
        if (stored.bytes() < 0 || stored.bytes() > bytes.left(stored.address()) || stored.bytes() > Integer.MAX_VALUE) {
            throw new MalformedHdf5Exception(
                    bytes.position(stored.address()),
                    "expected a chunk of " + stored.bytes() + " bytes, found the end of the file at "
                            + bytes.file().size());
        }
        long position = bytes.position(stored.address());
        byte[] content = bytes.file().read(position, (int) stored.bytes());
        List<Filter> applied = edge && !layout.edgesFiltered() ? List.of() : filters;
        try {
            return ChunkFilters.decode(applied, stored.mask(), content, chunkBytes);
        } catch (IOException e) {
            MalformedHdf5Exception malformed = new MalformedHdf5Exception(
                    position, "the chunk at " + Arrays.toString(offset) + ": " + e.getMessage());
            malformed.initCause(e);
            throw malformed;
        }
    }

    /** Copies the part of the row that is in a chunk, run by run along the last extent. */
    private void copy(byte[] from, int[] offset, long row, byte[] target) {
        int start = (int) (row - offset[0]);
        if (chunk.length == 1) {
            System.arraycopy(from, start * elementBytes, target, 0, elementBytes);
            return;
        }
        copy(1, start, 0, from, offset, target);
    }

    private void copy(int dimension, int fromIndex, int toIndex, byte[] from, int[] offset, byte[] target) {
        int count = (int) Math.min(chunk[dimension], extents[dimension] - offset[dimension]);
        int fromBase = fromIndex * chunk[dimension];
        int toBase = toIndex * (int) extents[dimension] + offset[dimension];
        if (dimension == chunk.length - 1) {
            System.arraycopy(from, fromBase * elementBytes, target, toBase * elementBytes, count * elementBytes);
            return;
        }
        for (int i = 0; i < count; i++) {
            copy(dimension + 1, fromBase + i, toBase + i, from, offset, target);
        }
    }
}

package io.millrace.dataset.hdf5;

import io.jhdf.api.dataset.ChunkedDataset;
import io.jhdf.exceptions.HdfException;
import io.jhdf.filter.PipelineFilterWithData;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Rows that are stored in chunks. Each chunk is compressed by itself, and decompressed chunks are kept in a cache. Safe
 * for several threads.
 */
final class Chunks implements StoredArray.RowBytes {
    /** The key of a chunk in the cache: its offset in the dataset. */
    record CacheKey(Chunks chunks, List<Integer> offset) {}

    private static final int MAX_CHUNK_BYTES = 1 << 30;

    private final RangedFile file;
    private final ChunkedDataset dataset;
    private final long[] extents;
    private final int[] chunk;
    private final int elementBytes;
    private final int chunkBytes;
    private final List<PipelineFilterWithData> filters;
    private final LoadedCache<CacheKey, byte[]> cache;

    private Chunks(
            RangedFile file,
            ChunkedDataset dataset,
            long[] extents,
            int[] chunk,
            int elementBytes,
            LoadedCache<CacheKey, byte[]> cache) {
        this.file = file;
        this.dataset = dataset;
        this.extents = extents;
        this.chunk = chunk;
        this.elementBytes = elementBytes;
        this.filters = List.copyOf(dataset.getFilters());
        this.cache = cache;
        long bytes = elementBytes;
        for (int extent : chunk) {
            bytes = Math.multiplyExact(bytes, (long) extent);
        }
        this.chunkBytes = (int) bytes;
    }

    static Chunks of(
            RangedFile file,
            String name,
            ChunkedDataset dataset,
            long[] extents,
            int elementBytes,
            LoadedCache<CacheKey, byte[]> cache)
            throws DatasetException {
        int[] chunk = dataset.getChunkDimensions();
        long bytes = elementBytes;
        boolean sound = chunk.length == extents.length && extents[0] <= Integer.MAX_VALUE;
        for (int i = 0; i < chunk.length && sound; i++) {
            bytes *= chunk[i];
            sound = chunk[i] > 0 && bytes <= MAX_CHUNK_BYTES;
        }
        if (!sound) {
            throw new DatasetException(file.name() + ": dataset '" + name + "' of " + Arrays.toString(extents)
                    + " has chunks of " + Arrays.toString(chunk) + "; expected chunks with as many extents and at most "
                    + MAX_CHUNK_BYTES + " bytes");
        }
        String unknown = ChunkFilters.unknown(dataset.getFilters());
        if (!unknown.isEmpty()) {
            throw new DatasetException(file.name() + ": dataset '" + name + "' is compressed with " + unknown
                    + ", which is not supported; write it with gzip");
        }
        return new Chunks(file, dataset, extents, chunk, elementBytes, cache);
    }

    @Override
    public byte[] read(long row) throws IOException {
        int rowBytes = elementBytes;
        for (int i = 1; i < extents.length; i++) {
            rowBytes *= (int) extents[i];
        }
        byte[] target = new byte[rowBytes];
        int[] offset = new int[chunk.length];
        offset[0] = (int) (row / chunk[0] * chunk[0]);
        visit(1, offset, row, target);
        return target;
    }

    /** Visits all chunks that hold a part of the row. Their offsets cover every extent except the first. */
    private void visit(int dimension, int[] offset, long row, byte[] target) throws IOException {
        if (dimension == chunk.length) {
            copy(chunkAt(offset), offset, row, target);
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
        ByteBuffer stored;
        try {
            stored = dataset.getRawChunkBuffer(offset);
        } catch (HdfException e) {
            if (String.valueOf(e.getMessage()).startsWith("No chunk with offset")) {
                return chunkOfFillValues();
            }
            throw damaged("the chunk at " + Arrays.toString(offset) + " is damaged: " + e.getMessage(), e);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw damaged("the index of chunks is damaged: " + e, e);
        }
        byte[] bytes = new byte[stored.remaining()];
        stored.get(bytes);
        try {
            return ChunkFilters.decode(filters, bytes, chunkBytes);
        } catch (IOException e) {
            throw damaged("the chunk at " + Arrays.toString(offset) + ": " + e.getMessage(), e);
        }
    }

    /** Returns a chunk of fill values, which stands for a chunk that was never written. */
    private byte[] chunkOfFillValues() throws IOException {
        byte[] filled = new byte[chunkBytes];
        Object fill;
        try {
            fill = dataset.getFillValue();
        } catch (RuntimeException e) {
            throw damaged("the fill value is damaged: " + e.getMessage(), e);
        }
        if (fill instanceof Number number && number.doubleValue() != 0) {
            if (elementBytes != 1) {
                throw new BadSampleException(
                        file.name(),
                        -1,
                        "expected a row that was written, found one that has the fill value " + number);
            }
            Arrays.fill(filled, number.byteValue());
        }
        return filled;
    }

    private BadSampleException damaged(String reason, Throwable cause) {
        BadSampleException badSample = new BadSampleException(file.name(), -1, reason);
        badSample.initCause(cause);
        return badSample;
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

    @Override
    public long position(long row) {
        return -1;
    }
}

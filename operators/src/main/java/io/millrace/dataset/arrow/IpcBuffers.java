package io.millrace.dataset.arrow;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Residence;
import io.millrace.dataset.storage.Segments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the buffers of batches. Buffers that are not compressed are read from their place in the file. Each value
 * is read by itself, or stays where it is in a file that is mapped. Offsets, bits and numbers are read in blocks, which are kept in the cache for reads of
 * neighbouring values. Compressed buffers are decompressed as a whole and kept in the cache. Safe for several threads.
 *
 * <p>Tested by {@code ArrowBuffersTest}.
 */
final class IpcBuffers {
    /** The key of a block or of a decompressed buffer in the cache, which contains its position in the file. */
    record CacheKey(RangedFile file, long position, boolean decompressed) {}

    private static final int BLOCK_BYTES = 1 << 16;
    private static final int MAX_VALUE_BYTES = 1 << 30;
    private static final byte[] EMPTY = {};

    private final RangedFile file;
    private final LoadedCache<CacheKey, byte[]> cache;

    /** The whole file; null when it is not on this machine. */
    private final @Nullable Segments mapped;

    private final Residence residence;

    /** Maps the file if it is on this machine. */
    IpcBuffers(RangedFile file, LoadedCache<CacheKey, byte[]> cache) throws IOException {
        this.file = file;
        this.cache = cache;
        this.mapped = file.map();
        this.residence = new Residence(() -> mapped != null && mapped.areNearlyLoaded());
    }

    /** Returns whether the file is mapped, and nearly all of it is in the page cache. */
    boolean resident() {
        return residence.isResident();
    }

    /**
     * Returns a piece of a buffer where it is mapped, without a copy. If the file is not in the page cache, the
     * piece is read into it now, on the thread that reads ahead.
     *
     * @return null when the buffer is compressed, the file is not mapped, or the piece lies in two segments or is empty
     */
    @Nullable
    ByteBuffer stored(IpcBatch batch, int buffer, long from, long count) throws IOException {
        if (mapped == null || batch.codec().isPresent()) {
            return null;
        }
        requireWithin(batch, buffer, from, count);
        ByteBuffer piece = mapped.stored(batch.bufferPosition(buffer) + from, (int) count);
        if (piece != null && !residence.isResident()) {
            Segments.load(piece);
        }
        return piece;
    }

    /** Returns the length of a buffer after decompression. */
    long length(IpcBatch batch, int buffer) throws IOException {
        return batch.codec().isPresent() ? whole(batch, buffer).length : batch.bufferLength(buffer);
    }

    /** Returns a piece of a buffer. The caller owns it. */
    byte[] bytes(IpcBatch batch, int buffer, long from, long count) throws IOException {
        requireWithin(batch, buffer, from, count);
        if (batch.codec().isPresent()) {
            return Arrays.copyOfRange(whole(batch, buffer), (int) from, (int) (from + count));
        }
        return file.read(batch.bufferPosition(buffer) + from, (int) count);
    }

    /** Returns one of the numbers in a buffer, such as an offset, an index or a size. Numbers are signed. */
    long number(IpcBatch batch, int buffer, long index, int width) throws IOException {
        long from = index * width;
        requireWithin(batch, buffer, from, width);
        byte[] block;
        int at;
        if (batch.codec().isPresent()) {
            block = whole(batch, buffer);
            at = (int) from;
        } else {
            long position = batch.bufferPosition(buffer) + from;
            long start = position / BLOCK_BYTES * BLOCK_BYTES;
            at = (int) (position - start);
            if (at + width > BLOCK_BYTES) {
                // A number lies in two blocks only when the buffers are not aligned as they should be.
                block = file.read(position, width);
                at = 0;
            } else {
                int count = (int) Math.min(BLOCK_BYTES, file.size() - start);
                block = cache.get(new CacheKey(file, start, false), () -> file.read(start, count));
            }
        }
        ByteBuffer number = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        return switch (width) {
            case Byte.BYTES -> number.get(at);
            case Short.BYTES -> number.getShort(at);
            case Integer.BYTES -> number.getInt(at);
            default -> number.getLong(at);
        };
    }

    /** Returns one bit of a buffer. */
    boolean bit(IpcBatch batch, int buffer, long index) throws IOException {
        return (number(batch, buffer, index / Byte.SIZE, 1) >> (index % Byte.SIZE) & 1) != 0;
    }

    private void requireWithin(IpcBatch batch, int buffer, long from, long count) throws IOException {
        long length = length(batch, buffer);
        if (from < 0 || count < 0 || from > length || count > length - from) {
            throw badSample(
                    batch,
                    buffer,
                    "expected " + count + " bytes at " + from + " of a buffer, found a buffer of " + length + " bytes");
        }
        if (count > MAX_VALUE_BYTES) {
            throw badSample(
                    batch,
                    buffer,
                    "expected a value of at most " + MAX_VALUE_BYTES + " bytes, found one of " + count + " bytes");
        }
    }

    BadSampleException badSample(IpcBatch batch, int buffer, String reason) {
        return new BadSampleException(file.name(), batch.bufferPosition(buffer), reason);
    }

    private byte[] whole(IpcBatch batch, int buffer) throws IOException {
        if (batch.bufferLength(buffer) == 0) {
            return EMPTY;
        }
        return cache.get(new CacheKey(file, batch.bufferPosition(buffer), true), () -> decompressed(batch, buffer));
    }

    private byte[] decompressed(IpcBatch batch, int buffer) throws IOException {
        long stored = batch.bufferLength(buffer);
        if (stored < Long.BYTES || stored > MAX_VALUE_BYTES) {
            throw badSample(
                    batch,
                    buffer,
                    "expected a compressed buffer of 8 to " + MAX_VALUE_BYTES + " bytes, found " + stored);
        }
        byte[] bytes = file.read(batch.bufferPosition(buffer), (int) stored);
        long length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length == -1) {
            return Arrays.copyOfRange(bytes, Long.BYTES, bytes.length);
        }
        if (length < 0 || length > MAX_VALUE_BYTES) {
            throw badSample(
                    batch, buffer, "expected a buffer of at most " + MAX_VALUE_BYTES + " bytes, found " + length);
        }
        try {
            return batch.codec().orElseThrow().decompress(bytes, Long.BYTES, (int) length);
        } catch (IOException e) {
            BadSampleException badSample = badSample(batch, buffer, String.valueOf(e.getMessage()));
            badSample.initCause(e);
            throw badSample;
        }
    }
}

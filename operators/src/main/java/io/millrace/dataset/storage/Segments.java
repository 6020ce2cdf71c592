package io.millrace.dataset.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of bytes, in memory or mapped, that may exceed the largest size of a buffer. Reads use absolute positions
 * only, so any number of threads may read.
 */
public final class Segments {
    /**
     * The default size of a segment, as an exponent of 2. A buffer holds up to 2 GiB. Because the size is a power of
     * two, shifts are enough to split a position.
     */
    private static final int DEFAULT_SHIFT = 30;

    /** The number of bytes of a piece whose presence in memory is looked up, and the most pieces of one segment. */
    private static final int PROBE_BYTES = 1 << 14;

    private static final int MOST_PROBES = 256;

    /** One piece in so many may be missing. */
    private static final int MISSING_SHARE = 16;

    private final ByteBuffer[] buffers;
    private final int shift;

    private Segments(ByteBuffer[] buffers, int shift) {
        this.buffers = buffers;
        this.shift = shift;
    }

    /** Maps {@code length} bytes of the file from {@code offset} on. The mapping outlives the channel. */
    public static Segments map(FileChannel file, long offset, long length) throws IOException {
        return map(file, offset, length, DEFAULT_SHIFT);
    }

    /** Maps as {@link #map(FileChannel, long, long)} does, in segments of {@code 2^shift} bytes. */
    public static Segments map(FileChannel file, long offset, long length, int shift) throws IOException {
        ByteBuffer[] buffers = new ByteBuffer[count(length, shift)];
        for (int i = 0; i < buffers.length; i++) {
            long start = (long) i << shift;
            buffers[i] = file.map(MapMode.READ_ONLY, offset + start, Math.min(length - start, 1L << shift));
        }
        return new Segments(buffers, shift);
    }

    /** The segments with the bytes that were read, and the number of bytes. */
    public record ReadResult(Segments segments, long bytes) {}

    /** Reads up to {@code length} bytes to memory. */
    public static ReadResult read(InputStream in, long length) throws IOException {
        List<ByteBuffer> buffers = new ArrayList<>();
        long bytes = 0;
        boolean more = true;
        // A wrong header may state more bytes than there is memory, so memory is allocated as bytes arrive.
        while (more && bytes < length) {
            int requested = (int) Math.min(length - bytes, 1L << DEFAULT_SHIFT);
            byte[] segment = in.readNBytes(requested);
            buffers.add(ByteBuffer.wrap(segment));
            bytes += segment.length;
            more = segment.length == requested;
        }
        return new ReadResult(new Segments(buffers.toArray(ByteBuffer[]::new), DEFAULT_SHIFT), bytes);
    }

    private static int count(long length, int shift) {
        return Math.toIntExact((length + (1L << shift) - 1) >>> shift);
    }

    /** Fills the whole array with the bytes that begin at {@code offset}. */
    public void read(long offset, byte[] bytes) {
        int done = 0;
        while (done < bytes.length) {
            long at = offset + done;
            ByteBuffer buffer = buffers[(int) (at >>> shift)];
            int inBuffer = (int) (at & ((1L << shift) - 1));
            int length = Math.min(bytes.length - done, buffer.capacity() - inBuffer);
            buffer.get(inBuffer, bytes, done, length);
            done += length;
        }
    }

    /**
     * Returns the bytes from {@code offset} on where they are mapped, without a copy. The buffer keeps the mapping alive.
     *
     * @return null when the bytes are not mapped, lie in two segments, or are none
     */
    public @Nullable ByteBuffer stored(long offset, int length) {
        if (length == 0) {
            return null; // there may be no segment
        }
        ByteBuffer buffer = buffers[(int) (offset >>> shift)];
        int inBuffer = (int) (offset & ((1L << shift) - 1));
        return buffer.isDirect() && length <= buffer.capacity() - inBuffer ? buffer.slice(inBuffer, length) : null;
    }

    /** Reads the mapped bytes into the page cache, so that a later access does not wait for the disk. */
    public static void load(ByteBuffer stored) {
        if (stored instanceof MappedByteBuffer mapped) {
            mapped.load();
        }
    }

    /**
     * Returns whether nearly all bytes are in memory now, so that few accesses will wait for the disk. The answer rests on
     * pieces at equal distances, because looking at all pages of a large file takes seconds.
     */
    public boolean areNearlyLoaded() {
        long probes = 0;
        long loaded = 0;
        for (ByteBuffer buffer : buffers) {
            int pieces = Math.min(MOST_PROBES, 1 + buffer.capacity() / PROBE_BYTES);
            for (int i = 0; i < pieces; i++) {
                int from = (int) ((long) i * buffer.capacity() / pieces);
                ByteBuffer piece = buffer.slice(from, Math.min(PROBE_BYTES, buffer.capacity() - from));
                probes++;
                loaded += piece instanceof MappedByteBuffer mapped && !mapped.isLoaded() ? 0 : 1;
            }
        }
        return probes - loaded <= probes / MISSING_SHARE;
    }
}

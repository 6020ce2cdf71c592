package io.millrace.dataset.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.util.MemoryUtil;
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

    /** The size of the smallest page, in bytes. */
    private static final int PAGE_BYTES = 1 << 12;

    private final ByteBuffer[] buffers;
    private final int shift;

    /** Is written so that the compiler does not leave out reads whose result nobody uses. */
    @SuppressWarnings("UnusedVariable")
    private int lastRead;

    private Segments(ByteBuffer[] buffers, int shift) {
        for (ByteBuffer buffer : buffers) {
            buffer.order(ByteOrder.LITTLE_ENDIAN);
        }
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
            ByteBuffer buffer = segment(at);
            int inBuffer = inSegment(at);
            int length = Math.min(bytes.length - done, buffer.capacity() - inBuffer);
            buffer.get(inBuffer, bytes, done, length);
            done += length;
        }
    }

    /**
     * Returns the segment that holds the byte at {@code offset}, in little-endian order. A number at a multiple of its size lies
     * in one segment.
     */
    public ByteBuffer segment(long offset) {
        return buffers[(int) (offset >>> shift)];
    }

    /** Returns the place of the byte at {@code offset} in its {@link #segment}. */
    public int inSegment(long offset) {
        return (int) (offset & ((1L << shift) - 1));
    }

    /**
     * Copies bytes to native memory.
     *
     * @param offset the first byte; the caller has checked the range
     * @param address the address to copy to, with room for {@code length} bytes
     */
    public void copy(long offset, int length, long address) {
        int done = 0;
        while (done < length) {
            long at = offset + done;
            ByteBuffer buffer = segment(at);
            int inBuffer = inSegment(at);
            int count = Math.min(length - done, buffer.capacity() - inBuffer);
            if (buffer.isDirect()) {
                MemoryUtil.copyMemory(MemoryUtil.getByteBufferAddress(buffer) + inBuffer, address + done, count);
            } else {
                MemoryUtil.copyToMemory(buffer.array(), buffer.arrayOffset() + inBuffer, address + done, count);
            }
            done += count;
        }
    }

    /** Reads the pages of these bytes into memory, so that a later access does not wait for the disk. */
    public void load(long offset, int length) {
        int read = 0;
        for (long at = offset; at < offset + length; at += PAGE_BYTES) {
            read += segment(at).get(inSegment(at));
        }
        if (length > 0) {
            long last = offset + length - 1;
            read += segment(last).get(inSegment(last));
        }
        lastRead = read;
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
        ByteBuffer buffer = segment(offset);
        int inBuffer = inSegment(offset);
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

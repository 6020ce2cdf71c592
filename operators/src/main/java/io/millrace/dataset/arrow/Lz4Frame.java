package io.millrace.dataset.arrow;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Decompression of one LZ4 frame. The blocks of a frame may refer to the blocks before them, as polars writes them,
 * which the library's reader of frames does not support. Belongs to one thread.
 *
 * <p>Tested by {@code ArrowDatasetTest}.
 */
final class Lz4Frame {
    private static final int MAGIC = 0x184D2204;
    private static final int VERSION = 1;
    private static final int VERSION_SHIFT = 6;
    private static final int INDEPENDENT_BLOCKS = 1 << 5;
    private static final int BLOCK_CHECKSUMS = 1 << 4;
    private static final int CONTENT_SIZE = 1 << 3;
    private static final int CONTENT_CHECKSUM = 1 << 2;
    private static final int DICTIONARY = 1;
    private static final int NOT_COMPRESSED = 1 << 31;
    private static final int NIBBLE = 15;
    private static final int MIN_MATCH = 4;

    // The safe instances are plain Java, so damaged data ends in an exception.
    private static final LZ4SafeDecompressor BLOCKS = LZ4Factory.safeInstance().safeDecompressor();
    private static final XXHash32 SUMS = XXHashFactory.safeInstance().hash32();

    private final ByteBuffer in;
    private final byte[] out;
    private int written;

    private Lz4Frame(byte[] compressed, int from, int length) {
        this.in = ByteBuffer.wrap(compressed, from, compressed.length - from).order(ByteOrder.LITTLE_ENDIAN);
        this.out = new byte[length];
    }

    /**
     * Decompresses the frame that begins at {@code from} and ends with the array.
     *
     * @param length the number of bytes that the frame must hold
     * @throws IOException when the frame is damaged or holds another number of bytes; the message states the reason
     */
    static byte[] decompress(byte[] compressed, int from, int length) throws IOException {
        Lz4Frame frame = new Lz4Frame(compressed, from, length);
        try {
            frame.read();
        } catch (LZ4Exception | IndexOutOfBoundsException | BufferUnderflowException e) {
            throw new IOException("the LZ4 data is damaged: " + e.getMessage(), e);
        }
        if (frame.written < length || frame.in.hasRemaining()) {
            throw new IOException("expected LZ4 data of " + length + " bytes, found "
                    + (frame.written < length ? frame.written : "more"));
        }
        return frame.out;
    }

    private void read() throws IOException {
        int magic = in.getInt();
        int begin = in.position();
        int flags = in.get();
        in.get(); // the largest size of a block, which the blocks themselves state
        if (magic != MAGIC || (flags & 0xFF) >> VERSION_SHIFT != VERSION || (flags & DICTIONARY) != 0) {
            throw new IOException("expected an LZ4 frame of version 1 without a dictionary, found other bytes");
        }
        if ((flags & CONTENT_SIZE) != 0) {
            long size = in.getLong();
            if (size != out.length) {
                throw new IOException(
                        "expected LZ4 data of " + out.length + " bytes, found a frame of " + size + " bytes");
            }
        }
        int sum = SUMS.hash(in.array(), begin, in.position() - begin, 0) >> Byte.SIZE & 0xFF;
        requireSum(sum, Byte.toUnsignedInt(in.get()));
        for (int size = in.getInt(); size != 0; size = in.getInt()) {
            block(size & ~NOT_COMPRESSED, (size & NOT_COMPRESSED) == 0, flags);
        }
        if ((flags & CONTENT_CHECKSUM) != 0) {
            requireSum(SUMS.hash(out, 0, written, 0), in.getInt());
        }
    }

    private static void requireSum(int computed, int stored) throws IOException {
        if (computed != stored) {
            throw new IOException(
                    String.format("expected LZ4 data with the checksum %08x, found %08x", stored, computed));
        }
    }

    private void block(int size, boolean compressed, int flags) throws IOException {
        int from = in.position();
        if (size > in.remaining()) {
            throw new IOException("expected an LZ4 block of at most " + in.remaining() + " bytes, found " + size);
        }
        if (!compressed) {
            in.get(out, written, Math.min(size, out.length - written));
            written += in.position() - from;
        } else if ((flags & INDEPENDENT_BLOCKS) != 0) {
            written += BLOCKS.decompress(in.array(), from, size, out, written);
        } else {
            linkedBlock(in.array(), from, from + size);
        }
        in.position(from + size);
        if ((flags & BLOCK_CHECKSUMS) != 0) {
            requireSum(SUMS.hash(in.array(), from, size, 0), in.getInt());
        }
    }

    /** Decompresses a block that may copy bytes of the blocks before it. */
    private void linkedBlock(byte[] block, int from, int end) throws IOException {
        int at = from;
        while (at < end) {
            int token = Byte.toUnsignedInt(block[at++]);
            int literals = token >> 4;
            if (literals == NIBBLE) {
                int next;
                do {
                    next = Byte.toUnsignedInt(block[at++]);
                    literals += next;
                } while (next == 0xFF && at < end);
            }
            if (literals < 0 || literals > end - at || literals > out.length - written) {
                throw tooLong(literals);
            }
            System.arraycopy(block, at, out, written, literals);
            at += literals;
            written += literals;
            if (at == end) {
                return; // the last sequence has no match
            }
            int distance = Byte.toUnsignedInt(block[at++]) | Byte.toUnsignedInt(block[at++]) << Byte.SIZE;
            int length = (token & NIBBLE) + MIN_MATCH;
            if (length == NIBBLE + MIN_MATCH) {
                int next;
                do {
                    next = Byte.toUnsignedInt(block[at++]);
                    length += next;
                } while (next == 0xFF && at < end);
            }
            if (distance == 0 || distance > written || length < 0 || length > out.length - written) {
                throw tooLong(length);
            }
            copy(distance, length);
        }
        throw new IOException("the LZ4 data is damaged: a block ends within a sequence");
    }

    private static IOException tooLong(int length) {
        return new IOException("the LZ4 data is damaged: a sequence of " + length + " bytes does not fit");
    }

    /** Appends bytes that were written before. The source and the target may overlap. */
    private void copy(int distance, int length) {
        if (distance >= length) {
            System.arraycopy(out, written - distance, out, written, length);
        } else {
            for (int i = written; i < written + length; i++) {
                out[i] = out[i - distance];
            }
        }
        written += length;
    }
}

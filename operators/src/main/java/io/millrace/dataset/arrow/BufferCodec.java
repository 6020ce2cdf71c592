package io.millrace.dataset.arrow;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.xxhash.XXHashFactory;

/** The compression of a batch's buffers. Each buffer is compressed by itself. */
enum BufferCodec {
    LZ4_FRAME,
    ZSTD;

    /** The largest compression ratio of LZ4. A buffer that states a larger ratio is damaged. */
    private static final int MOST_LZ4_RATIO = 256;

    /**
     * Decompresses a buffer.
     *
     * @param length the length of the result in bytes, as the buffer states it; if the compressed data states a length,
     *     too, the two are compared before memory is allocated
     * @throws IOException when the data does not decompress to that length; the message states the reason
     */
    byte[] decompress(byte[] compressed, int from, int length) throws IOException {
        int count = compressed.length - from;
        return switch (this) {
            case LZ4_FRAME -> lz4(compressed, from, count, length);
            case ZSTD -> zstd(compressed, from, count, length);
        };
    }

    private static byte[] lz4(byte[] compressed, int from, int count, int length) throws IOException {
        if (length > (long) count * MOST_LZ4_RATIO) {
            throw new IOException("expected " + count + " bytes of LZ4 data to decompress to at most "
                    + (long) count * MOST_LZ4_RATIO + " bytes, found a stated length of " + length);
        }
        // The safe instances are plain Java, so damaged data ends in an exception.
        try (InputStream in = new LZ4FrameInputStream(
                new ByteArrayInputStream(compressed, from, count),
                LZ4Factory.safeInstance().safeDecompressor(),
                XXHashFactory.safeInstance().hash32())) {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length || in.read() >= 0) {
                throw new IOException("expected LZ4 data of " + length + " bytes, found "
                        + (bytes.length < length ? bytes.length : "more"));
            }
            return bytes;
        } catch (RuntimeException e) {
            throw new IOException("the LZ4 data is damaged: " + e.getMessage(), e);
        }
    }

    private static byte[] zstd(byte[] compressed, int from, int count, int length) throws IOException {
        if (count == 0) {
            throw new IOException("expected zstd data, found none");
        }
        long stated = Zstd.getFrameContentSize(compressed, from, count);
        if (stated > 0 && stated != length) {
            throw new IOException("expected zstd data of " + length + " bytes, found a frame of " + stated + " bytes");
        }
        try {
            byte[] bytes = new byte[length];
            long written = Zstd.decompressByteArray(bytes, 0, length, compressed, from, count);
            if (written != length) {
                throw new IOException("expected zstd data of " + length + " bytes, found " + written + " bytes");
            }
            return bytes;
        } catch (ZstdException e) {
            throw new IOException("the zstd data is damaged: " + e.getMessage(), e);
        }
    }
}

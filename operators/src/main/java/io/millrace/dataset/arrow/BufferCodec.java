package io.millrace.dataset.arrow;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.millrace.file.HeapLimit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;

/** The compression of a batch's buffers. Each buffer is compressed by itself. */
enum BufferCodec {
    LZ4_FRAME,
    ZSTD;

    /** The key under which Arrow 0.17 states the codec of a batch, in the metadata of the message. */
    static final String EXPERIMENTAL_KEY = "ARROW:experimental_compression";

    /** The largest compression ratio of LZ4. A buffer that states a larger ratio is damaged. */
    private static final int MOST_LZ4_RATIO = 256;

    /** The ratio of zstd up to which memory is allocated for a length that the frame does not state. */
    private static final int MOST_UNSTATED_RATIO = 1_000;

    /**
     * Returns the codec that Arrow 0.17 states for a batch; empty when its buffers are not compressed.
     *
     * @throws IllegalArgumentException when the codec is not supported
     */
    static Optional<BufferCodec> ofExperimentalName(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "uncompressed" -> Optional.empty();
            case "lz4" -> Optional.of(LZ4_FRAME);
            case "zstd" -> Optional.of(ZSTD);
            default -> throw new IllegalArgumentException("expected compression with LZ4 or zstd, found codec " + name);
        };
    }

    /**
     * Decompresses a buffer.
     *
     * @param length the length of the result in bytes, as the buffer states it; if the compressed data states a length,
     *     too, the two are compared before memory is allocated
     * @throws IOException when the data does not decompress to that length; the message states the reason
     */
    byte[] decompress(byte[] compressed, int from, int length) throws IOException {
        int count = compressed.length - from;
        HeapLimit.require("a buffer", length);
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
        return Lz4Frame.decompress(compressed, from, length);
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
            if (stated <= 0 && length > (long) count * MOST_UNSTATED_RATIO) {
                return streamed(compressed, from, count, length);
            }
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

    /** Decompresses without memory for a length that the frame does not state. */
    private static byte[] streamed(byte[] compressed, int from, int count, int length) throws IOException {
        try (InputStream in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(compressed, from, count))) {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length || in.read() >= 0) {
                throw new IOException("expected zstd data of " + length + " bytes, found "
                        + (bytes.length < length ? bytes.length : "more"));
            }
            return bytes;
        }
    }
}

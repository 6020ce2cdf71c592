package io.millrace.dataset.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.millrace.file.HeapLimit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.apache.parquet.format.CompressionCodec;
import org.xerial.snappy.Snappy;

/** Decompression of pages. */
final class PageCodec {
    /** The ratio of Zstandard up to which memory is allocated for a length that only the page's header states. */
    private static final int MOST_UNSTATED_RATIO = 1032;

    private static final int LEAST_CHECKED_BYTES = 1 << 16;

    private PageCodec() {}

    /**
     * Returns the reason why a codec is not supported, or an empty text when it is supported.
     *
     * @param codec the codec that the file names
     */
    static String refusal(CompressionCodec codec) {
        return switch (codec) {
            case UNCOMPRESSED, SNAPPY, GZIP, ZSTD, LZ4_RAW -> "";
            case BROTLI -> "no maintained library decompresses Brotli in the JVM: write the file with zstd";
            case LZO -> "LZO is no longer in use: write the file with zstd";
            case LZ4 ->
                "the old LZ4 of Hadoop is ambiguous according to Parquet's own standard: write the file with LZ4_RAW"
                        + " or zstd";
        };
    }

    /**
     * Decompresses a page.
     *
     * @param length the length of the result in bytes, as the page's header states it
     * @throws IOException when the data does not decompress to that length
     */
    static byte[] decompress(CompressionCodec codec, byte[] bytes, int from, int count, int length) throws IOException {
        if (length < 0 || length > Math.max(LEAST_CHECKED_BYTES, (long) count * ratio(codec))) {
            throw new IOException(
                    "expected a page that " + count + " compressed bytes can hold, found a stated length of " + length);
        }
        HeapLimit.require("a page", length);
        try {
            byte[] page =
                    switch (codec) {
                        case UNCOMPRESSED -> Arrays.copyOfRange(bytes, from, from + count);
                        case SNAPPY -> snappy(bytes, from, count, length);
                        case GZIP -> gzip(bytes, from, count, length);
                        case ZSTD -> zstd(bytes, from, count, length);
                        case LZ4_RAW -> lz4(bytes, from, count, length);
                        default -> throw new IOException(refusal(codec));
                    };
            if (page.length != length) {
                throw new IOException("expected a page of " + length + " bytes, found " + page.length);
            }
            return page;
        } catch (ZstdException | LZ4Exception e) {
            throw new IOException("the compressed page is damaged: " + e.getMessage(), e);
        }
    }

    /** Returns the largest compression ratio. A page that states a larger one is damaged. */
    private static int ratio(CompressionCodec codec) {
        return switch (codec) {
            case SNAPPY -> 22; // 3 bytes stand for at most 64
            case LZ4_RAW -> 255;
            case ZSTD -> 1 << 20; // it has no bound: runs of one byte shrink to almost nothing
            default -> 1032; // Deflate
        };
    }

    private static byte[] snappy(byte[] bytes, int from, int count, int length) throws IOException {
        int stated = Snappy.uncompressedLength(bytes, from, count);
        if (stated != length) {
            throw new IOException("expected a page of " + length + " bytes, found Snappy data of " + stated + " bytes");
        }
        byte[] page = new byte[length];
        int written = Snappy.uncompress(bytes, from, count, page, 0);
        return written == length ? page : Arrays.copyOf(page, written);
    }

    private static byte[] gzip(byte[] bytes, int from, int count, int length) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes, from, count), 1 << 13)) {
            byte[] page = in.readNBytes(length);
            if (in.read() >= 0) {
                throw new IOException("expected a page of " + length + " bytes, found more");
            }
            return page;
        }
    }

    private static byte[] zstd(byte[] bytes, int from, int count, int length) throws IOException {
        long stated = count == 0 ? 0 : Zstd.getFrameContentSize(bytes, from, count);
        if (count == 0 || (stated > 0 && stated != length)) {
            throw new IOException(
                    "expected a page of " + length + " bytes, found a zstd frame of " + stated + " bytes");
        }
        if (stated <= 0 && length > (long) count * MOST_UNSTATED_RATIO) {
            return streamed(bytes, from, count, length);
        }
        byte[] page = new byte[length];
        long written = Zstd.decompressByteArray(page, 0, length, bytes, from, count);
        if (written != length) {
            throw new IOException("expected a page of " + length + " bytes, found zstd data of " + written + " bytes");
        }
        return page;
    }

    /** Decompresses without memory for a length that only the page's header states. */
    private static byte[] streamed(byte[] bytes, int from, int count, int length) throws IOException {
        try (InputStream in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(bytes, from, count))) {
            byte[] page = in.readNBytes(length);
            if (in.read() >= 0) {
                throw new IOException("expected a page of " + length + " bytes, found more");
            }
            return page;
        }
    }

    /** Decompresses in plain Java, which never reads or writes outside the arrays, even if the data are damaged. */
    private static byte[] lz4(byte[] bytes, int from, int count, int length) {
        byte[] page = new byte[length];
        int written = LZ4Factory.safeInstance().safeDecompressor().decompress(bytes, from, count, page, 0);
        return written == length ? page : Arrays.copyOf(page, written);
    }
}

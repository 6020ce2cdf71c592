package io.millrace.dataset.shard;

import io.millrace.dataset.DatasetException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The recognition of files that are compressed as a whole. Most formats refuse them, because a sample in a compressed file could only
 * be reached by unpacking all bytes before it.
 */
public final class Compression {
    private static final String GZIP = "gzip";
    private static final String ZSTD = "zstd";
    private static final int MAGIC_BYTES = 6;

    private Compression() {}

    /** Returns whether a stream begins as gzip does, and leaves the stream at its beginning. */
    public static boolean isGzip(BufferedInputStream file) throws IOException {
        file.mark(2);
        boolean gzip = file.read() == 0x1F && file.read() == 0x8B;
        file.reset();
        return gzip;
    }

    /**
     * Checks the first bytes of a file whose samples are read in any order.
     *
     * @throws DatasetException when the bytes are those of gzip, bzip2, xz or Zstandard
     */
    public static void requireNone(ScanWindow file) throws IOException {
        String found = kind(file);
        if (found != null) {
            throw new DatasetException(file.name() + " is compressed with " + found
                    + " as a whole: a sample in it can only be reached by unpacking all bytes before it, so the samples"
                    + " cannot be read in another order than the file's. Unpack the file; images are compressed"
                    + " already");
        }
    }

    /**
     * Checks the first bytes of a file of a format that inflates the files whose names say that they are compressed.
     *
     * @throws DatasetException when the bytes are those of gzip, bzip2, xz or Zstandard
     */
    static void requireText(ScanWindow file) throws IOException {
        String found = kind(file);
        if (found != null) {
            String ending = found.equals(GZIP) ? ".gz" : found.equals(ZSTD) ? ".zst" : "";
            throw new DatasetException(file.name() + ": at offset 0 expected text, found data compressed with " + found
                    + ": "
                    + (ending.isEmpty() || InflatedFiles.isCompressed(file.name())
                            ? "unpack the file"
                            : "files are unpacked if their names say so, so rename it to end in " + ending));
        }
    }

    private static @Nullable String kind(ScanWindow file) throws IOException {
        if (file.size() < MAGIC_BYTES) {
            return null;
        }
        ByteBuffer start = file.bytes(0, MAGIC_BYTES, "a file");
        String found = null;
        if (begins(start, 0x1F, 0x8B, 0x08)) {
            found = GZIP;
        } else if (begins(start, 'B', 'Z', 'h', -1, 0x31, 0x41)) {
            found = "bzip2";
        } else if (begins(start, 0xFD, '7', 'z', 'X', 'Z', 0)) {
            found = "xz";
        } else if (begins(start, 0x28, 0xB5, 0x2F, 0xFD)) {
            found = ZSTD;
        }
        return found;
    }

    private static boolean begins(ByteBuffer start, int... expected) {
        for (int i = 0; i < expected.length; i++) {
            // A value of -1 stands for any byte.
            if (expected[i] >= 0 && (start.get(i) & 0xFF) != expected[i]) {
                return false;
            }
        }
        return true;
    }
}

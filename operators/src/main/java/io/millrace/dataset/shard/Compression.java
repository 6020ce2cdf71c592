package io.millrace.dataset.shard;

import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The check that refuses files that are compressed as a whole, because a sample in such a file can only be reached
 * through all bytes before it.
 */
public final class Compression {
    private static final int MAGIC_BYTES = 6;

    private Compression() {}

    /**
     * Checks the first bytes of a file.
     *
     * @throws DatasetException when they are those of gzip, bzip2, xz or Zstandard
     */
    public static void refuse(ScanWindow file) throws IOException {
        if (file.size() < MAGIC_BYTES) {
            return;
        }
        ByteBuffer start = file.bytes(0, MAGIC_BYTES, "a file");
        String found = null;
        if (begins(start, 0x1F, 0x8B, 0x08)) {
            found = "gzip";
        } else if (begins(start, 'B', 'Z', 'h', -1, 0x31, 0x41)) {
            found = "bzip2";
        } else if (begins(start, 0xFD, '7', 'z', 'X', 'Z', 0)) {
            found = "xz";
        } else if (begins(start, 0x28, 0xB5, 0x2F, 0xFD)) {
            found = "zstd";
        }
        if (found != null) {
            throw new DatasetException(file.name() + " is compressed with " + found
                    + " as a whole: a sample in it can only be reached by unpacking all bytes before it, so no other order than"
                    + " the file's is possible. Unpack it; images are compressed already");
        }
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

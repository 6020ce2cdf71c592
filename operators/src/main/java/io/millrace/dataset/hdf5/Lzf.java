package io.millrace.dataset.hdf5;

import java.io.IOException;
import java.util.Arrays;

/** The decompression of LZF data, which is a sequence of literal bytes and of references to bytes before. */
final class Lzf {
    private static final int FIRST_REFERENCE = 32;
    private static final int LONG_REFERENCE = 7;

    private Lzf() {}

    /**
     * Decompresses data.
     *
     * @param most the largest size of the result
     * @throws IOException when the data is damaged, or the result is larger
     */
    static byte[] decode(byte[] data, int most) throws IOException {
        // Three bytes stand for at most 264.
        byte[] target = new byte[(int) Math.min(most, 88L * data.length)];
        int from = 0;
        int to = 0;
        while (from < data.length) {
            int control = data[from++] & 0xFF;
            if (control < FIRST_REFERENCE) {
                int count = control + 1;
                require(count <= data.length - from && count <= target.length - to, from);
                System.arraycopy(data, from, target, to, count);
                from += count;
                to += count;
                continue;
            }
            int count = control >> 5;
            if (count == LONG_REFERENCE) {
                require(from < data.length, from);
                count += data[from++] & 0xFF;
            }
            count += 2;
            require(from < data.length, from);
            int distance = ((control & 31) << 8 | (data[from++] & 0xFF)) + 1;
            require(distance <= to && count <= target.length - to, from);
            // The bytes may overlap with those that they repeat.
            for (int i = 0; i < count; i++, to++) {
                target[to] = target[to - distance];
            }
        }
        return Arrays.copyOf(target, to);
    }

    private static void require(boolean sound, int at) throws IOException {
        if (!sound) {
            throw new IOException("expected LZF data, found damage at its byte " + at);
        }
    }
}

package io.millrace.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a payload, read piece by piece. Memory is allocated for bytes that have arrived, and not for those that a message only
 * announces.
 */
final class ArrivingBytes {
    private static final int FIRST_BYTES = 1 << 10;

    private ArrivingBytes() {}

    /** Reads this number of bytes. */
    static byte[] read(Link link, int count) throws IOException {
        byte[] bytes = new byte[0];
        while (bytes.length < count) {
            int from = bytes.length;
            int to = Math.min(count, Math.max(FIRST_BYTES, 2 * from));
            bytes = Arrays.copyOf(bytes, to);
            link.readFully(ByteBuffer.wrap(bytes, from, to - from));
        }
        return bytes;
    }
}

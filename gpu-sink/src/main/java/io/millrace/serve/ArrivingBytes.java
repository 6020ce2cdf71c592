package io.millrace.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a payload, read piece by piece. Memory is allocated for bytes that have arrived, and not for those that a message only
 * announces. One thread uses an object.
 */
final class ArrivingBytes {
    private static final int FIRST_BYTES = 1 << 10;

    private final Link link;
    private byte[] bytes = new byte[0];

    ArrivingBytes(Link link) {
        this.link = link;
    }

    /** Reads until this number of bytes has arrived, and returns all of them. */
    byte[] upTo(int count) throws IOException {
        while (bytes.length < count) {
            int from = bytes.length;
            int to = Math.min(count, Math.max(FIRST_BYTES, 2 * from));
            ByteBuffer piece = ByteBuffer.allocate(to - from);
            link.readFully(piece);
            bytes = Arrays.copyOf(bytes, to);
            piece.flip().get(bytes, from, to - from);
        }
        return bytes;
    }
}

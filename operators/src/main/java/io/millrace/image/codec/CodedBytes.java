package io.millrace.image.codec;

import java.io.ByteArrayOutputStream;

/** Entropy-coded data of a JPEG that are being written: bits, with a stuffed zero after each byte ff. Not thread-safe. */
final class CodedBytes {
    private final ByteArrayOutputStream bytes;
    private long bits;
    private int count;

    CodedBytes(int expectedBytes) {
        bytes = new ByteArrayOutputStream(expectedBytes);
    }

    /** Appends the lowest {@code added} bits of a number, at most 32, in which no other bits are set. */
    void put(long value, int added) {
        bits = (bits << added) | value;
        count += added;
        while (count >= Byte.SIZE) {
            count -= Byte.SIZE;
            int next = (int) (bits >>> count) & 255;
            bytes.write(next);
            if (next == 255) {
                bytes.write(0);
            }
        }
    }

    /** Fills the last byte with ones, and appends restart marker {@code number} modulo 8. */
    void restart(int number) {
        fill();
        bytes.write(255);
        bytes.write(0xd0 + (number & 7));
    }

    /** Fills the last byte with ones, and returns all bytes. */
    byte[] finish() {
        fill();
        return bytes.toByteArray();
    }

    private void fill() {
        int missing = -count & 7;
        put((1L << missing) - 1, missing);
    }
}

package io.millrace.dataset.hdf5;

/** The checksum of HDF5's structures: Bob Jenkins' hash function lookup3 with the initial value 0. */
final class Lookup3 {
    private static final int WORDS = 3;

    private Lookup3() {}

    static int of(byte[] bytes) {
        int a = 0xDEADBEEF + bytes.length;
        int b = a;
        int c = a;
        int at = 0;
        int left = bytes.length;
        for (; left > WORDS * Integer.BYTES; left -= WORDS * Integer.BYTES) {
            a += word(bytes, at);
            b += word(bytes, at + 4);
            c += word(bytes, at + 8);
            a = (a - c) ^ Integer.rotateLeft(c, 4);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 6);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 8);
            b += a;
            a = (a - c) ^ Integer.rotateLeft(c, 16);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 19);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 4);
            b += a;
            at += WORDS * Integer.BYTES;
        }
        if (left == 0) {
            return c;
        }
        a += word(bytes, at);
        b += word(bytes, at + 4);
        c += word(bytes, at + 8);
        c = (c ^ b) - Integer.rotateLeft(b, 14);
        a = (a ^ c) - Integer.rotateLeft(c, 11);
        b = (b ^ a) - Integer.rotateLeft(a, 25);
        c = (c ^ b) - Integer.rotateLeft(b, 16);
        a = (a ^ c) - Integer.rotateLeft(c, 4);
        b = (b ^ a) - Integer.rotateLeft(a, 14);
        return (c ^ b) - Integer.rotateLeft(b, 24);
    }

    /** Returns the little-endian word at an index. Bytes after the end count as zeros. */
    private static int word(byte[] bytes, int at) {
        int value = 0;
        for (int i = 0; i < Integer.BYTES && at + i < bytes.length; i++) {
            value |= (bytes[at + i] & 0xFF) << (Byte.SIZE * i);
        }
        return value;
    }
}

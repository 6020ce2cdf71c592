package io.millrace.dataset.hdf5;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A position in a block of a file, which reads little-endian numbers one after another. Every read checks that the
 * block is long enough. Belongs to one thread.
 *
 * <p>Tested by {@code Hdf5DatasetTest}.
 */
final class Cursor {
    private final byte[] bytes;
    private final long start;
    private final int offsetBytes;
    private final int lengthBytes;
    private final int end;
    private int at;

    private Cursor(byte[] bytes, long start, int offsetBytes, int lengthBytes, int at, int end) {
        this.bytes = bytes;
        this.start = start;
        this.offsetBytes = offsetBytes;
        this.lengthBytes = lengthBytes;
        this.at = at;
        this.end = end;
    }

    /**
     * Returns a cursor at the beginning of a block. The caller must not change the block afterwards.
     *
     * @param start the offset of the block in the file
     * @param offsetBytes the size of an address in the file
     * @param lengthBytes the size of a length in the file
     */
    static Cursor of(byte[] block, long start, int offsetBytes, int lengthBytes) {
        return new Cursor(block, start, offsetBytes, lengthBytes, 0, block.length);
    }

    /** Returns the offset in the file of the byte that comes next. */
    long position() {
        return start + at;
    }

    int left() {
        return end - at;
    }

    int uint8() throws MalformedHdf5Exception {
        return bytes[advance(1)] & 0xFF;
    }

    int uint16() throws MalformedHdf5Exception {
        return (int) unsigned(Short.BYTES);
    }

    long uint32() throws MalformedHdf5Exception {
        return unsigned(Integer.BYTES);
    }

    /** Reads an unsigned number of up to 8 bytes. A number of 8 bytes from 2^63 on is negative. */
    long unsigned(int width) throws MalformedHdf5Exception {
        int from = advance(width);
        long value = 0;
        for (int i = 0; i < width; i++) {
            value |= (bytes[from + i] & 0xFFL) << (Byte.SIZE * i);
        }
        return value;
    }

    /** Reads an address relative to the superblock, or -1 for the undefined address. */
    long address() throws MalformedHdf5Exception {
        long address = unsigned(offsetBytes);
        return offsetBytes < Long.BYTES && address == (1L << (Byte.SIZE * offsetBytes)) - 1 ? -1 : address;
    }

    /** Reads a length, which is never negative. */
    long length() throws MalformedHdf5Exception {
        long length = unsigned(lengthBytes);
        if (length < 0) {
            throw malformed("expected a length, found " + Long.toUnsignedString(length));
        }
        return length;
    }

    /** Reads the extent of a dataspace. The result is negative for an extent without a limit. */
    long extent() throws MalformedHdf5Exception {
        long extent = unsigned(lengthBytes);
        return lengthBytes < Long.BYTES && extent == (1L << (Byte.SIZE * lengthBytes)) - 1 ? -1 : extent;
    }

    byte[] bytes(int count) throws MalformedHdf5Exception {
        int from = advance(count);
        return Arrays.copyOfRange(bytes, from, from + count);
    }

    String text(int count) throws MalformedHdf5Exception {
        return new String(bytes(count), StandardCharsets.UTF_8);
    }

    /** Reads text up to the zero byte that ends it, and skips the zero byte. */
    String terminated() throws MalformedHdf5Exception {
        int from = at;
        while (uint8() != 0) {
            // The loop finds the end.
        }
        return new String(bytes, from, at - from - 1, StandardCharsets.UTF_8);
    }

    void skip(int count) throws MalformedHdf5Exception {
        advance(count);
    }

    /** Returns a cursor for the next bytes, and skips them. */
    Cursor part(int count) throws MalformedHdf5Exception {
        int from = advance(count);
        return new Cursor(bytes, start, offsetBytes, lengthBytes, from, from + count);
    }

    /** Returns a cursor at the same position. */
    Cursor copy() {
        return new Cursor(bytes, start, offsetBytes, lengthBytes, at, end);
    }

    void expect(String signature) throws MalformedHdf5Exception {
        long offset = position();
        String found = new String(bytes(signature.length()), StandardCharsets.ISO_8859_1);
        if (!found.equals(signature)) {
            throw new MalformedHdf5Exception(offset, "expected " + signature + ", found other bytes");
        }
    }

    /** Reads the version of a structure. */
    int version(String structure, int least, int most) throws MalformedHdf5Exception {
        int version = uint8();
        if (version < least || version > most) {
            throw malformed("expected version " + least + " to " + most + " of " + structure + ", found " + version);
        }
        return version;
    }

    MalformedHdf5Exception malformed(String reason) {
        return new MalformedHdf5Exception(position(), reason);
    }

    private int advance(int count) throws MalformedHdf5Exception {
        if (count < 0 || count > end - at) {
            throw malformed("expected " + count + " bytes, found only " + (end - at) + " in the structure");
        }
        int from = at;
        at += count;
        return from;
    }
}

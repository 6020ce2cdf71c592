package io.millrace.dataset.hdf5;

import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;

/**
 * The bytes of a file, by the addresses that its structures contain. Safe for several threads.
 *
 * @param base the offset of the superblock in the file, from which addresses count
 * @param offsetBytes the size of an address
 * @param lengthBytes the size of a length
 */
record Hdf5Bytes(RangedFile file, long base, int offsetBytes, int lengthBytes) {
    /** The largest structure that is read. The library's own limits are far below. */
    private static final int MOST_BLOCK_BYTES = 1 << 26;

    private static final int CHECKSUM_BYTES = 4;

    /** Returns the offset in the file of an address. */
    long position(long address) {
        return base + address;
    }

    /** Returns the number of bytes from an address to the end of the file; negative when the address is outside. */
    long left(long address) {
        return address < 0 || address > file.size() - base ? -1 : file.size() - base - address;
    }

    /** Reads the structure of {@code count} bytes at an address. */
    Cursor block(long address, long count) throws IOException {
        if (count < 0 || count > MOST_BLOCK_BYTES || count > left(address)) {
            throw new MalformedHdf5Exception(
                    position(address),
                    "expected a structure of " + count + " bytes, found the end of the file at " + file.size());
        }
        return Cursor.of(file.read(position(address), (int) count), position(address), offsetBytes, lengthBytes);
    }

    /**
     * Reads the structure of {@code count} bytes at an address, whose last 4 bytes are a checksum of the others.
     *
     * @throws MalformedHdf5Exception when the checksum is wrong
     */
    Cursor checkedBlock(long address, long count) throws IOException {
        Cursor block = block(address, count);
        Cursor all = block.copy();
        if (count < CHECKSUM_BYTES) {
            throw block.malformed("expected a checksum of 4 bytes, found " + count + " bytes");
        }
        int expected = Lookup3.of(all.bytes((int) count - CHECKSUM_BYTES));
        int found = (int) all.uint32();
        if (found != expected) {
            throw block.malformed(String.format("expected the checksum %08x, found %08x", expected, found));
        }
        return block;
    }
}

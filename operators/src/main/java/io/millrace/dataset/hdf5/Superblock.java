package io.millrace.dataset.hdf5;

import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.util.Arrays;

/**
 * The superblock, where the reading of a file begins (HDF5 File Format Specification, II.A). A user block of any
 * content may precede it.
 *
 * @param root the address of the root group's header
 */
record Superblock(Hdf5Bytes bytes, long root) {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    private static final int LEAST_USER_BLOCK = 512;
    private static final int MOST_BYTES = 128;

    /**
     * Finds the superblock of a file: at offset 0, or at 512, 1024, 2048 and so on.
     *
     * @throws MalformedHdf5Exception when the file has none
     */
    static Superblock of(RangedFile file) throws IOException {
        for (long at = 0; at <= file.size() - SIGNATURE.length; at = at == 0 ? LEAST_USER_BLOCK : 2 * at) {
            if (Arrays.equals(file.read(at, SIGNATURE.length), SIGNATURE)) {
                return read(file, at);
            }
        }
        throw new MalformedHdf5Exception(0, "expected the signature of HDF5, found other bytes");
    }

    private static Superblock read(RangedFile file, long at) throws IOException {
        int count = (int) Math.min(MOST_BYTES, file.size() - at);
        Cursor start = Cursor.of(file.read(at, count), at, Long.BYTES, Long.BYTES);
        start.skip(SIGNATURE.length);
        int version = start.version("the superblock", 0, 3);
        if (version < 2) {
            start.skip(4);
        }
        int offsetBytes = start.uint8();
        int lengthBytes = start.uint8();
        for (int width : new int[] {offsetBytes, lengthBytes}) {
            if (width != 2 && width != 4 && width != 8) {
                throw start.malformed("expected addresses and lengths of 2, 4 or 8 bytes, found " + width);
            }
        }
        Hdf5Bytes bytes = new Hdf5Bytes(file, at, offsetBytes, lengthBytes);
        if (version >= 2) {
            Cursor block = bytes.checkedBlock(0, 16 + 4L * offsetBytes);
            block.skip(12);
            block.skip(3 * offsetBytes);
            return new Superblock(bytes, block.address());
        }
        Cursor block = bytes.block(0, count);
        block.skip(version == 0 ? 24 : 28);
        block.skip(5 * offsetBytes);
        return new Superblock(bytes, block.address());
    }
}

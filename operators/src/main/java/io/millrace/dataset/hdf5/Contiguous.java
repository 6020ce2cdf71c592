package io.millrace.dataset.hdf5;

import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;

/**
 * Rows that are stored one after the other.
 *
 * @param start the offset of the first row in the file
 */
record Contiguous(RangedFile file, long start, int rowBytes) implements StoredArray.RowBytes {
    /** Returns the rows after a check that all of them lie within the file. */
    static Contiguous of(Hdf5Bytes bytes, long address, long rows, int rowBytes) throws MalformedHdf5Exception {
        long left = bytes.left(address);
        if (left < 0 || rows < 0 || (rowBytes > 0 && rows > left / rowBytes)) {
            throw new MalformedHdf5Exception(
                    bytes.position(address),
                    "expected " + rows + " rows of " + rowBytes + " bytes, found the end of the file at "
                            + bytes.file().size());
        }
        return new Contiguous(bytes.file(), bytes.position(address), rowBytes);
    }

    @Override
    public byte[] read(long row) throws IOException {
        return file.read(position(row), rowBytes);
    }

    @Override
    public long position(long row) {
        return start + row * rowBytes;
    }
}

package io.millrace.dataset.hdf5;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;

/**
 * Rows that are stored one after the other.
 *
 * @param start the offset of the first row in the file
 */
record Contiguous(RangedFile file, long start, int rowBytes) implements StoredArray.RowBytes {
    /** Returns the rows after a check that all of them lie within the file. */
    static Contiguous of(RangedFile file, String name, long start, long rows, int rowBytes) throws DatasetException {
        if (start < 0 || start > file.size() || rows < 0 || (rowBytes > 0 && rows > (file.size() - start) / rowBytes)) {
            throw new DatasetException(file.name() + " is cut off or damaged: expected dataset '" + name + "', " + rows
                    + " rows of " + rowBytes + " bytes, at offset " + start + ", found the end of the file at "
                    + file.size());
        }
        return new Contiguous(file, start, rowBytes);
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

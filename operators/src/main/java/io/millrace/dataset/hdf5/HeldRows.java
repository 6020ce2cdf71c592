package io.millrace.dataset.hdf5;

import java.util.Arrays;

/** Rows that are in memory since the file was opened, one after the other. */
final class HeldRows implements StoredArray.RowBytes {
    private final byte[] content;
    private final int rowBytes;

    private HeldRows(byte[] content, int rowBytes) {
        this.content = content;
        this.rowBytes = rowBytes;
    }

    /** Returns rows that are stored in the dataset's header. */
    static HeldRows compact(Cursor content, long rows, int rowBytes) throws MalformedHdf5Exception {
        if (rowBytes > 0 && rows > content.left() / rowBytes) {
            throw content.malformed(
                    "expected " + rows + " rows of " + rowBytes + " bytes, found " + content.left() + " bytes");
        }
        return new HeldRows(content.bytes(content.left()), rowBytes);
    }

    @Override
    public byte[] read(long row) {
        int from = (int) row * rowBytes;
        return Arrays.copyOfRange(content, from, from + rowBytes);
    }
}

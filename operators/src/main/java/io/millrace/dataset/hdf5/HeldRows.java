package io.millrace.dataset.hdf5;

import java.util.Arrays;

/** Rows that are in memory since the file was opened: one after the other, or a single row that stands for all. */
final class HeldRows implements StoredArray.RowBytes {
    private final byte[] content;
    private final int rowBytes;
    private final boolean single;

    private HeldRows(byte[] content, int rowBytes, boolean single) {
        this.content = content;
        this.rowBytes = rowBytes;
        this.single = single;
    }

    /** Returns rows that are stored in the dataset's header. */
    static HeldRows compact(Cursor content, long rows, int rowBytes) throws MalformedHdf5Exception {
        if (rowBytes > 0 && rows > content.left() / rowBytes) {
            throw content.malformed(
                    "expected " + rows + " rows of " + rowBytes + " bytes, found " + content.left() + " bytes");
        }
        return new HeldRows(content.bytes(content.left()), rowBytes, false);
    }

    /** Returns rows that were never written. All have the fill value. */
    static HeldRows unwritten(byte[] fill, int rowBytes) {
        return new HeldRows(FillValue.repeated(fill, rowBytes), rowBytes, true);
    }

    @Override
    public byte[] read(long row) {
        int from = single ? 0 : (int) row * rowBytes;
        return Arrays.copyOfRange(content, from, from + rowBytes);
    }

    @Override
    public long position(long row) {
        return -1;
    }
}

package io.millrace.dataset.lmdb;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A page of a tree with its nodes. The nodes of a leaf are keys and values; those of a branch are keys and pages.
 *
 * @param file the database file
 * @param number the number of the page
 * @param count the number of nodes
 */
record LmdbPage(LmdbFile file, long number, ByteBuffer bytes, boolean leaf, int count) {
    private static final int NODE_BYTES = 8;
    private static final int BIG_DATA = 1;
    private static final int SUB_DATA = 2;
    private static final int DUPLICATES = 4;
    private static final int FLAGS_AT = 10;
    private static final int LOWER_AT = 12;
    private static final long MAX_VALUE_BYTES = 1 << 30;

    static LmdbPage of(LmdbFile file, long number, ByteBuffer bytes) throws DatasetException {
        int flags = Short.toUnsignedInt(bytes.getShort(FLAGS_AT));
        int lower = Short.toUnsignedInt(bytes.getShort(LOWER_AT));
        boolean leaf = (flags & LmdbFile.LEAF) != 0;
        boolean branch = (flags & LmdbFile.BRANCH) != 0;
        if (bytes.getLong(0) != number || leaf == branch || (flags & LmdbFile.OVERFLOW) != 0) {
            throw file.damaged(
                    number,
                    "expected page " + number + " of a tree, found page " + bytes.getLong(0) + " with the flags "
                            + flags);
        }
        int count = (lower - LmdbFile.HEADER_BYTES) / Short.BYTES;
        if (lower < LmdbFile.HEADER_BYTES || lower > file.pageBytes() || (branch && count < 1)) {
            throw file.damaged(number, "expected a list of nodes, found one that ends at " + lower);
        }
        return new LmdbPage(file, number, bytes, leaf, count);
    }

    private int node(int index) throws DatasetException {
        int at = Short.toUnsignedInt(bytes.getShort(LmdbFile.HEADER_BYTES + Short.BYTES * index));
        if (at < LmdbFile.HEADER_BYTES
                || at > file.pageBytes() - NODE_BYTES
                || keyBytes(at) > file.pageBytes() - NODE_BYTES - at) {
            throw file.damaged(number, "expected node " + index + " within the page, found it at " + at);
        }
        return at;
    }

    private int keyBytes(int at) {
        return Short.toUnsignedInt(bytes.getShort(at + 6));
    }

    /** Returns the number of the page below a node of a branch. */
    long child(int index) throws DatasetException {
        int at = node(index);
        return Integer.toUnsignedLong(bytes.getInt(at)) | (long) Short.toUnsignedInt(bytes.getShort(at + 4)) << 32;
    }

    /** Returns the key of a node of a leaf. */
    byte[] key(int index) throws DatasetException {
        int at = node(index) + NODE_BYTES;
        return copy(at, keyBytes(at - NODE_BYTES));
    }

    private byte[] copy(int from, int count) {
        byte[] target = new byte[count];
        bytes.get(from, target);
        return target;
    }

    /** Returns the value of a node of a leaf. The caller owns it. */
    byte[] value(int index) throws IOException {
        int at = node(index);
        long length = Integer.toUnsignedLong(bytes.getInt(at));
        int flags = Short.toUnsignedInt(bytes.getShort(at + 4));
        int start = at + NODE_BYTES + keyBytes(at);
        if ((flags & DUPLICATES) != 0) {
            throw badSample("expected one value of the key, found several");
        }
        if ((flags & SUB_DATA) != 0) {
            throw badSample("expected a value, found a named database within the database");
        }
        if ((flags & BIG_DATA) != 0) {
            if (start > file.pageBytes() - Long.BYTES) {
                throw badSample("expected the number of a page, found the end of the page");
            }
            return overflow(bytes.getLong(start), length);
        }
        if (length > file.pageBytes() - start) {
            throw badSample("expected a value within the page, found a value of " + length + " bytes");
        }
        return copy(start, (int) length);
    }

    /** Reads a value that is stored on consecutive pages of its own. */
    private byte[] overflow(long page, long length) throws IOException {
        long position = file.position(page);
        if (page < 2
                || page >= file.pages()
                || length > MAX_VALUE_BYTES
                || position > file.file().size() - LmdbFile.HEADER_BYTES - length) {
            throw badSample("expected a value of " + length + " bytes at page " + page + " of " + file.pages()
                    + ", found the end of the file at " + file.file().size());
        }
        byte[] stored = file.file().read(position, LmdbFile.HEADER_BYTES + (int) length);
        ByteBuffer header = ByteBuffer.wrap(stored).order(bytes.order());
        if (header.getLong(0) != page || (header.getShort(FLAGS_AT) & LmdbFile.OVERFLOW) == 0) {
            throw badSample("expected the value's page at offset " + position + ", found another page");
        }
        return Arrays.copyOfRange(stored, LmdbFile.HEADER_BYTES, stored.length);
    }

    private BadSampleException badSample(String reason) {
        return new BadSampleException(file.file().name(), file.position(number), reason);
    }
}

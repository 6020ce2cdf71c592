package io.millrace.dataset.lmdb;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One database file: its pages, and the tree of the latest commit. The format is that of LMDB 0.9 on little-endian
 * machines of 64 bits (mdb.c, "Page header", "Meta page content").
 *
 * @param file the file
 * @param pageBytes the size of a page in bytes
 * @param pages the number of pages in use
 * @param root the page at which the tree of the main database begins, or -1 when the database is empty
 * @param entries the number of values that the file states
 * @param duplicates whether a key may have several values
 */
record LmdbFile(RangedFile file, int pageBytes, long pages, long root, long entries, boolean duplicates) {
    static final int HEADER_BYTES = 16;
    static final int BRANCH = 1;
    static final int LEAF = 2;
    static final int OVERFLOW = 4;

    private static final int META = 8;
    private static final int MAGIC = 0xBEEFC0DE;
    private static final int VERSION = 1;
    private static final int META_BYTES = 152;
    private static final int MAIN_AT = HEADER_BYTES + 72;
    private static final int DUPLICATES = 4;
    private static final int LAST_PAGE_AT = HEADER_BYTES + 120;
    private static final int TRANSACTION_AT = HEADER_BYTES + 128;
    private static final int PAGE_BYTES_AT = HEADER_BYTES + 24;
    private static final int LEAST_PAGE_BYTES = 256;
    private static final int MOST_PAGE_BYTES = 1 << 16;

    /**
     * Reads the two meta pages at the beginning of the file, and uses the meta page with the later commit.
     *
     * @throws DatasetException when the file is no database or is cut off
     */
    static LmdbFile of(RangedFile file) throws IOException {
        ByteBuffer first = meta(file, 0);
        int pageBytes = first.getInt(PAGE_BYTES_AT);
        if (pageBytes < LEAST_PAGE_BYTES || pageBytes > MOST_PAGE_BYTES || Integer.bitCount(pageBytes) != 1) {
            throw new DatasetException(file.name() + ": at offset " + PAGE_BYTES_AT
                    + " expected the size of pages, 256 to 65536, found " + pageBytes);
        }
        ByteBuffer second = meta(file, pageBytes);
        ByteBuffer latest = second.getLong(TRANSACTION_AT) > first.getLong(TRANSACTION_AT) ? second : first;
        long pages = latest.getLong(LAST_PAGE_AT) + 1;
        // Freed pages at the end may be missing from copies. Pages in use are checked one by one.
        if (pages < 2 || pages > Long.MAX_VALUE / MOST_PAGE_BYTES) {
            throw new DatasetException(file.name() + " is damaged: it states " + pages + " pages");
        }
        return new LmdbFile(
                file,
                pageBytes,
                pages,
                latest.getLong(MAIN_AT + 40),
                latest.getLong(MAIN_AT + 32),
                (latest.getShort(MAIN_AT + 4) & DUPLICATES) != 0);
    }

    private static ByteBuffer meta(RangedFile file, long position) throws IOException {
        if (file.size() < position + META_BYTES) {
            throw new DatasetException(file.name() + " is no LMDB database, or is cut off: expected the page at offset "
                    + position + ", found the end of the file at " + file.size());
        }
        ByteBuffer page = buffer(file.read(position, META_BYTES));
        if (page.getInt(HEADER_BYTES) != MAGIC || (page.getShort(10) & META) == 0) {
            throw new DatasetException(file.name() + " is no LMDB database of a 64-bit machine: at offset "
                    + (position + HEADER_BYTES) + " expected BEEFC0DE, found "
                    + String.format("%08X", page.getInt(HEADER_BYTES)));
        }
        if (page.getInt(HEADER_BYTES + 4) != VERSION) {
            throw new DatasetException(
                    file.name() + ": expected LMDB's data version 1, found " + page.getInt(HEADER_BYTES + 4));
        }
        return page;
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the offset of a page in the file. */
    long position(long page) {
        return page * pageBytes;
    }

    /**
     * Reads a page of a tree.
     *
     * @throws DatasetException when the page is not in the file, or does not belong to a tree
     */
    LmdbPage page(long number) throws IOException {
        if (number < 2 || number >= pages || position(number) > file.size() - pageBytes) {
            throw new DatasetException(file.name() + " is cut off or damaged: expected page " + number + " of " + pages
                    + " with " + pageBytes + " bytes, found the end of the file at " + file.size());
        }
        return LmdbPage.of(this, number, buffer(file.read(position(number), pageBytes)));
    }

    DatasetException damaged(long page, String reason) {
        return new DatasetException(
                file.name() + " is damaged: in the page at offset " + position(page) + " " + reason);
    }
}

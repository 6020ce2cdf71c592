package io.millrace.dataset.lmdb;

import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.util.Arrays;

/**
 * The index of a database's keys in their order. It needs 16 bytes of memory for each leaf page. Immutable and safe for
 * several threads.
 */
final class LmdbKeys {
    private static final int MAX_DEPTH = 32;

    private final LmdbFile file;
    private long[] leaves = new long[64];
    private long[] ends = new long[64];
    private int count;
    private long visited;

    /** The page and the node of a key. */
    record KeyLocation(LmdbPage page, int node) {}

    private LmdbKeys(LmdbFile file) {
        this.file = file;
    }

    /**
     * Returns the index of a database. Walks the tree once and does not read values.
     *
     * @throws DatasetException when pages are missing or damaged, or a page is in the tree twice
     */
    static LmdbKeys of(LmdbFile file) throws IOException {
        LmdbKeys keys = new LmdbKeys(file);
        if (file.root() != -1) {
            keys.walk(file.root(), 0);
        }
        // Each of several values of a key counts as an entry.
        if (keys.size() != file.entries() && !file.duplicates()) {
            throw new DatasetException(file.file().name() + " is damaged: expected " + file.entries()
                    + " keys according to its first pages, found " + keys.size());
        }
        return keys;
    }

    private void walk(long number, int depth) throws IOException {
        LmdbPage page = file.page(number);
        if (++visited > file.file().size() / file.pageBytes()) {
            throw file.damaged(number, "expected a tree that has each page once, found a page again");
        }
        if (depth > MAX_DEPTH) {
            throw file.damaged(number, "expected a tree of at most " + MAX_DEPTH + " levels, found more");
        }
        if (!page.leaf()) {
            for (int i = 0; i < page.count(); i++) {
                walk(page.child(i), depth + 1);
            }
        } else if (page.count() > 0) {
            add(number, page.count());
        }
    }

    private void add(long number, int keys) throws DatasetException {
        if (size() + keys > file.entries()) {
            throw file.damaged(number, "expected at most " + file.entries() + " keys in all pages, found more");
        }
        if (count == leaves.length) {
            leaves = Arrays.copyOf(leaves, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        ends[count] = size() + keys;
        leaves[count] = number;
        count++;
    }

    /** Returns the number of keys. */
    long size() {
        return count == 0 ? 0 : ends[count - 1];
    }

    /** Reads the page of the key with the given number in the order. */
    KeyLocation at(long index) throws IOException {
        int found = Arrays.binarySearch(ends, 0, count, index + 1);
        int leaf = found >= 0 ? found : -found - 1;
        LmdbPage page = file.page(leaves[leaf]);
        int node = (int) (index - (leaf == 0 ? 0 : ends[leaf - 1]));
        if (!page.leaf() || node >= page.count()) {
            throw file.damaged(leaves[leaf], "expected key " + node + ", found only " + page.count() + " keys");
        }
        return new KeyLocation(page, node);
    }
}

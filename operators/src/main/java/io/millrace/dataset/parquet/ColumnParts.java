package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The parts of one column of one row group. A part consists of the rows that are decoded together. It begins with a
 * row, at a level of a page, and ends where the next part begins. A row of a list may continue in the next page, so a
 * part may contain levels of several pages. Immutable and safe for several threads.
 *
 * <p>Tested by {@code ParquetDatasetTest}.
 */
final class ColumnParts {
    private final long[] positions;
    private final int[] lengths;

    /** For each part, its first row, the number of its first page, and its first level there; then the end. */
    private final long[] firstRows;

    private final int[] firstPages;
    private final int[] firstLevels;
    private final Optional<BadSampleException> failure;
    private final boolean scanned;

    private ColumnParts(
            long[] positions,
            int[] lengths,
            long[] firstRows,
            int[] firstPages,
            int[] firstLevels,
            Optional<BadSampleException> failure,
            boolean scanned) {
        this.positions = positions;
        this.lengths = lengths;
        this.firstRows = firstRows;
        this.firstPages = firstPages;
        this.firstLevels = firstLevels;
        this.failure = failure;
        this.scanned = scanned;
    }

    /** Returns the number of rows in all parts. */
    long rows() {
        return firstRows[firstRows.length - 1];
    }

    /** Returns the reason why the rows after {@link #rows} cannot be found; empty when all rows are found. */
    Optional<BadSampleException> failure() {
        return failure;
    }

    /** Returns whether the levels of the pages state the parts, and not the offset index or headers. */
    boolean scanned() {
        return scanned;
    }

    /** Returns the number of the part that contains a row below {@link #rows}. */
    int partOf(long row) {
        int found = Arrays.binarySearch(firstRows, row);
        int part = found >= 0 ? found : -found - 2;
        while (firstRows[part + 1] == row) {
            part++; // skips parts without rows
        }
        return part;
    }

    long firstRow(int part) {
        return firstRows[part];
    }

    /** Returns the number of rows of a part. */
    long rows(int part) {
        return firstRows[part + 1] - firstRows[part];
    }

    /** Returns the offset in the file of the page in which a part begins. */
    long position(int part) {
        return positions[firstPages[part]];
    }

    /**
     * The levels of a page that belong to a part.
     *
     * @param position the offset of the page in the file
     * @param length the number of bytes of the page with its header
     * @param from the first level
     * @param to the level after the last one; -1 for all further levels
     */
    record Piece(long position, int length, int from, int to) {
        static final int ALL = -1;
    }

    /** Returns the pieces of a part in order. */
    List<Piece> pieces(int part) {
        int firstPage = firstPages[part];
        int endPage = firstPages[part + 1];
        int endLevel = firstLevels[part + 1];
        Piece[] pieces = new Piece[endPage - firstPage + (endLevel > 0 ? 1 : 0)];
        for (int i = 0; i < pieces.length; i++) {
            int page = firstPage + i;
            pieces[i] = new Piece(
                    positions[page],
                    lengths[page],
                    i == 0 ? firstLevels[part] : 0,
                    page == endPage ? endLevel : Piece.ALL);
        }
        return List.of(pieces);
    }

    /** A list of pages and parts that grows. Belongs to one thread. */
    static final class Builder {
        private long[] positions = new long[8];
        private int[] lengths = new int[8];
        private int pages;
        private long[] firstRows = new long[8];
        private int[] firstPages = new int[8];
        private int[] firstLevels = new int[8];
        private int parts;
        private boolean scanned;

        /** Records that the levels of the pages state the parts. */
        Builder scanned() {
            scanned = true;
            return this;
        }

        /** Adds the next page. Parts that are added next begin in it. */
        void page(long position, int length) {
            if (pages == positions.length) {
                positions = Arrays.copyOf(positions, 2 * pages);
                lengths = Arrays.copyOf(lengths, 2 * pages);
            }
            positions[pages] = position;
            lengths[pages] = length;
            pages++;
        }

        /** Adds a part that begins at a level of the last page. */
        void part(long firstRow, int level) {
            add(firstRow, pages - 1, level);
        }

        private void add(long firstRow, int page, int level) {
            if (parts == firstRows.length) {
                firstRows = Arrays.copyOf(firstRows, 2 * parts);
                firstPages = Arrays.copyOf(firstPages, 2 * parts);
                firstLevels = Arrays.copyOf(firstLevels, 2 * parts);
            }
            firstRows[parts] = firstRow;
            firstPages[parts] = page;
            firstLevels[parts] = level;
            parts++;
        }

        /** Returns the parts, which together have {@code rows} rows. */
        ColumnParts whole(long rows) {
            add(rows, pages, 0);
            return build(Optional.empty());
        }

        /** Returns the parts until a failure. They have {@code rows} rows, and the last of them is whole. */
        ColumnParts until(long rows, BadSampleException failure) {
            add(rows, pages, 0);
            return build(Optional.of(failure));
        }

        /** Returns the parts until a failure, without the last one, which may continue behind the failure. */
        ColumnParts before(BadSampleException failure) {
            return parts == 0 ? until(0, failure) : build(Optional.of(failure));
        }

        private ColumnParts build(Optional<BadSampleException> failure) {
            return new ColumnParts(
                    Arrays.copyOf(positions, pages),
                    Arrays.copyOf(lengths, pages),
                    Arrays.copyOf(firstRows, parts),
                    Arrays.copyOf(firstPages, parts),
                    Arrays.copyOf(firstLevels, parts),
                    failure,
                    scanned);
        }
    }
}

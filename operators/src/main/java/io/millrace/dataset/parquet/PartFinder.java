package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.parquet.ColumnPages.HeaderAt;
import io.millrace.dataset.parquet.ColumnPages.PageRange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;

/**
 * The search for the parts of a column. Where the file's offset index or the headers of the pages state the rows of
 * each page, a part is a page, or a piece of a large page. Otherwise, all pages are read once to find the levels at
 * which rows begin. Belongs to one thread.
 *
 * <p>Tested by {@code ParquetDatasetTest}.
 */
final class PartFinder {
    private final ParquetColumn column;
    private final ColumnPages pages;
    private final long rows;

    /** The largest number of values of a part, if it has more than one row. */
    private final int mostValues;

    private PartFinder(ParquetColumn column, ColumnPages pages, long rows, int mostValues) {
        this.column = column;
        this.pages = pages;
        this.rows = rows;
        this.mostValues = mostValues;
    }

    /** Returns the parts. They come from the offset index or the headers if these state the rows of the pages. */
    static ColumnParts find(ParquetColumn column, ColumnPages pages, long rows, int mostValues) throws IOException {
        PartFinder finder = new PartFinder(column, pages, rows, mostValues);
        Optional<ColumnParts> parts = finder.byIndex();
        if (parts.isEmpty()) {
            parts = column.depth() == 0 ? Optional.of(finder.byHeaders()) : finder.byHeadersOfLists();
        }
        return parts.isPresent() ? parts.get() : finder.byLevels();
    }

    /** Returns the parts that the levels of the pages state. */
    static ColumnParts scan(ParquetColumn column, ColumnPages pages, long rows, int mostValues) throws IOException {
        return new PartFinder(column, pages, rows, mostValues).byLevels();
    }

    /** Returns the parts that the offset index states; empty when it is missing, damaged, or states large pages of lists. */
    private Optional<ColumnParts> byIndex() throws IOException {
        Optional<List<PageLocation>> locations = locations();
        if (locations.isEmpty()) {
            return Optional.empty();
        }
        ColumnParts.Builder builder = new ColumnParts.Builder();
        long row = 0;
        for (int i = 0; i < locations.get().size(); i++) {
            PageLocation at = locations.get().get(i);
            long next =
                    i + 1 < locations.get().size() ? locations.get().get(i + 1).getFirst_row_index() : rows;
            if (at.getFirst_row_index() != row
                    || next < row
                    || next - row > Integer.MAX_VALUE
                    || at.getOffset() < pages.start()
                    || at.getCompressed_page_size() < 0
                    || at.getOffset() > pages.end() - at.getCompressed_page_size()
                    || (column.depth() > 0 && isLarge(at.getCompressed_page_size()))) {
                return Optional.empty();
            }
            builder.page(at.getOffset(), at.getCompressed_page_size());
            addParts(builder, row, next);
            row = next;
        }
        return row == rows ? Optional.of(builder.whole(rows)) : Optional.empty();
    }

    private Optional<List<PageLocation>> locations() throws IOException {
        Optional<byte[]> bytes = pages.offsetIndex();
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            OffsetIndex index = Util.readOffsetIndex(new ByteArrayInputStream(bytes.get()));
            return Optional.of(index.getPage_locations());
        } catch (IOException | RuntimeException | StackOverflowError e) { // unknown fields may be nested to any depth
            return Optional.empty();
        }
    }

    /** Returns whether a page of lists should not be decoded as a whole. A compressed page holds more bytes. */
    private boolean isLarge(int pageBytes) {
        return pageBytes > (long) mostValues * column.valueBytes();
    }

    /** Adds the parts of a page with the rows from {@code row} to {@code next}. */
    private void addParts(ColumnParts.Builder builder, long row, long next) {
        // The levels of a column without lists are its rows. A page of lists becomes one part.
        long step = column.depth() == 0 ? mostValues : Long.MAX_VALUE;
        for (long at = row; at < next; at += Math.min(step, next - at)) {
            builder.part(at, (int) (at - row));
        }
    }

    private ColumnParts byHeaders() throws IOException {
        ColumnParts.Builder builder = new ColumnParts.Builder();
        long row = 0;
        try {
            for (long position = pages.start(); position < pages.end() && row < rows; ) {
                HeaderAt at = pages.header(position);
                if (at.hasValues()) {
                    builder.page(position, at.total());
                    long next = row + values(at);
                    addParts(builder, row, Math.min(next, rows));
                    row = next;
                }
                position += at.total();
            }
            requireAllRows(row);
            return builder.whole(rows);
        } catch (BadSampleException e) {
            return builder.until(Math.min(row, rows), e);
        }
    }

    private static int values(HeaderAt at) {
        return at.header().getType() == PageType.DATA_PAGE_V2
                ? at.header().getData_page_header_v2().getNum_values()
                : at.header().getData_page_header().getNum_values();
    }

    /** Returns the parts when all pages have version 2; empty when their headers state other rows than the file. */
    private Optional<ColumnParts> byHeadersOfLists() throws IOException {
        ColumnParts.Builder builder = new ColumnParts.Builder();
        long row = 0;
        try {
            for (long position = pages.start(); position < pages.end() && row < rows; ) {
                HeaderAt at = pages.header(position);
                if (at.hasValues()) {
                    if (at.header().getType() != PageType.DATA_PAGE_V2 || values(at) > mostValues) {
                        return Optional.empty();
                    }
                    builder.page(position, at.total());
                    long next = row + at.header().getData_page_header_v2().getNum_rows();
                    addParts(builder, row, next);
                    row = next;
                }
                position += at.total();
            }
        } catch (BadSampleException e) {
            // The scan of the levels finds the rows before the damaged page.
            return Optional.empty();
        }
        // Arrow before 12 states the number of values as the number of rows, see GH-34086.
        return row == rows ? Optional.of(builder.whole(rows)) : Optional.empty();
    }

    private ColumnParts byLevels() throws IOException {
        ColumnParts.Builder builder = new ColumnParts.Builder().scanned();
        long row = 0;
        try {
            for (long position = pages.start(); position < (row < rows ? pages.end() : pages.statedEnd()); ) {
                HeaderAt at = pages.header(position);
                if (at.hasValues()) {
                    builder.page(position, at.total());
                    DecompressedPage page =
                            DecompressedPage.of(pages, column, pages.read(new PageRange(position, at.total())));
                    try {
                        row = scan(page, builder, row);
                    } catch (RuntimeException e) {
                        throw pages.damaged(position, "the page is damaged: ", e);
                    }
                }
                position += at.total();
            }
            requireAllRows(row);
            return builder.whole(rows);
        } catch (BadSampleException e) {
            return builder.before(e);
        }
    }

    /** Adds the parts that begin in a page, and returns the number of rows that have begun so far. */
    private long scan(DecompressedPage page, ColumnParts.Builder builder, long before) {
        RunLengths repetitions = page.repetitions();
        long row = before;
        int begun = -1;
        for (int level = 0; level < page.count(); level++) {
            if (repetitions.next() == 0) {
                if (begun < 0 || level - begun >= mostValues) {
                    builder.part(row, level);
                    begun = level;
                }
                // A few bytes may state billions of rows.
                long more = Math.min(
                        Math.min(repetitions.repeats(), page.count() - level - 1),
                        begun + (long) mostValues - level - 1);
                repetitions.skipRepeats(more);
                level += (int) more;
                row += 1 + more;
            } else {
                if (row == 0) {
                    throw new IllegalArgumentException("the page begins in the middle of a row");
                }
                long more = Math.min(repetitions.repeats(), page.count() - level - 1);
                repetitions.skipRepeats(more);
                level += (int) more;
            }
        }
        return row;
    }

    private void requireAllRows(long found) throws BadSampleException {
        if (found != rows) {
            throw pages.badSample(pages.start(), "expected pages of " + rows + " rows, found " + found);
        }
    }
}

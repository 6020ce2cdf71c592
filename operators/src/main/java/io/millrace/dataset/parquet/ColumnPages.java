package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.storage.RangedFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;

/**
 * The pages of one column of one row group. The positions of the pages come from the file's offset index, or from the
 * headers of the pages if the file has no offset index. Immutable and safe for several threads.
 */
final class ColumnPages {
    /**
     * Rows that are decoded together: one page, or the whole column when its pages do not state where rows begin.
     *
     * @param firstRow the first row within the row group
     * @param rows the number of rows
     * @param pages the ranges of the pages, including their headers
     */
    record Unit(long firstRow, long rows, List<PageRange> pages) {}

    /**
     * The range of a page with its header in the file.
     *
     * @param position the offset in the file
     * @param length the number of bytes
     */
    record PageRange(long position, int length) {}

    /**
     * A stored page, before it is decompressed.
     *
     * @param position the offset of the page in the file
     * @param header the header
     * @param stored the bytes after the header, backed by an array
     */
    record StoredPage(long position, PageHeader header, ByteBuffer stored) {}

    /**
     * The number of bytes that are read first for a header. A header with statistics of long values is longer, and is
     * read again with more bytes.
     */
    private static final int FIRST_HEADER_BYTES = 512;

    private static final int MAX_HEADER_BYTES = 1 << 22;
    private static final int MAX_PAGE_BYTES = 1 << 30;

    private final RangedFile file;
    private final ColumnMetaData meta;
    private final Optional<PageRange> offsetIndex;
    private final long rows;
    private final long start;
    private final long end;

    private ColumnPages(RangedFile file, ColumnChunk chunk, long rows) {
        this.file = file;
        this.meta = chunk.getMeta_data();
        this.rows = rows;
        this.start = meta.isSetDictionary_page_offset() && meta.getDictionary_page_offset() > 0
                ? Math.min(meta.getDictionary_page_offset(), meta.getData_page_offset())
                : meta.getData_page_offset();
        this.end = start + meta.getTotal_compressed_size();
        this.offsetIndex = chunk.isSetOffset_index_offset() && chunk.isSetOffset_index_length()
                ? Optional.of(new PageRange(chunk.getOffset_index_offset(), chunk.getOffset_index_length()))
                : Optional.empty();
    }

    /**
     * Returns the pages of a column after a check of their position.
     *
     * @param rows the number of rows of the row group
     * @throws IllegalArgumentException when the pages are not within the file
     */
    static ColumnPages of(RangedFile file, ColumnChunk chunk, long rows) {
        if (chunk.getFile_path() != null) {
            throw new IllegalArgumentException(
                    "a column is in another file, '" + chunk.getFile_path() + "', which is not supported");
        }
        ColumnPages pages = new ColumnPages(file, chunk, rows);
        if (pages.start < 0 || pages.end < pages.start || pages.end > file.size()) {
            throw new IllegalArgumentException("a column's pages from " + pages.start + " to " + pages.end
                    + " are not within the file's " + file.size() + " bytes");
        }
        return pages;
    }

    CompressionCodec codec() {
        return meta.getCodec();
    }

    long start() {
        return start;
    }

    /** Returns the units in the order of their rows. Together they have all rows of the group. */
    List<Unit> units(int depth) throws IOException {
        if (offsetIndex.isPresent()) {
            return byIndex(offsetIndex.get());
        }
        List<PageRange> pages = new ArrayList<>();
        List<Unit> units = new ArrayList<>();
        long position = start;
        long row = 0;
        boolean rowsKnown = true;
        while (position < end && row < rows) {
            HeaderAt at = header(position);
            PageRange place = new PageRange(position, Math.addExact(at.length, at.header.getCompressed_page_size()));
            if (at.header.getType() != PageType.DICTIONARY_PAGE && at.header.getType() != PageType.INDEX_PAGE) {
                long here = rowsOf(at.header);
                rowsKnown &= at.header.getType() == PageType.DATA_PAGE_V2 || depth == 0;
                pages.add(place);
                units.add(new Unit(row, here, List.of(place)));
                row += rowsKnown ? here : 0;
            }
            position += place.length();
        }
        if (!rowsKnown) {
            return List.of(new Unit(0, rows, List.copyOf(pages)));
        }
        requireAllRows(row);
        return List.copyOf(units);
    }

    private static long rowsOf(PageHeader header) {
        return header.getType() == PageType.DATA_PAGE_V2
                ? header.getData_page_header_v2().getNum_rows()
                : header.getData_page_header().getNum_values();
    }

    private void requireAllRows(long found) throws IOException {
        if (found != rows) {
            throw badSample(start, "expected pages of " + rows + " rows, found " + found);
        }
    }

    private List<Unit> byIndex(PageRange index) throws IOException {
        if (index.position < 0 || index.length < 0 || index.length > file.size() - index.position) {
            throw badSample(start, "expected an offset index within the file, found an index at " + index.position);
        }
        byte[] bytes = file.read(index.position, index.length);
        OffsetIndex offsets;
        try {
            offsets = Util.readOffsetIndex(new ByteArrayInputStream(bytes));
        } catch (IOException | RuntimeException e) {
            throw damaged(index.position, "the offset index is damaged: ", e);
        }
        List<PageLocation> locations = offsets.getPage_locations();
        List<Unit> units = new ArrayList<>();
        long row = 0;
        for (int i = 0; i < locations.size(); i++) {
            PageLocation at = locations.get(i);
            long next = i + 1 < locations.size() ? locations.get(i + 1).getFirst_row_index() : rows;
            if (at.getFirst_row_index() != row
                    || next < row
                    || at.getOffset() < start
                    || at.getCompressed_page_size() < 0
                    || at.getOffset() > end - at.getCompressed_page_size()) {
                throw badSample(
                        index.position,
                        "the offset index is damaged: it states row " + at.getFirst_row_index() + " and offset "
                                + at.getOffset() + " for page " + i);
            }
            units.add(new Unit(row, next - row, List.of(new PageRange(at.getOffset(), at.getCompressed_page_size()))));
            row = next;
        }
        requireAllRows(row);
        return List.copyOf(units);
    }

    private record HeaderAt(PageHeader header, int length) {}

    private HeaderAt header(long position) throws IOException {
        int bytes = FIRST_HEADER_BYTES;
        while (true) {
            int count = (int) Math.min(bytes, end - position);
            byte[] read = file.read(position, count);
            try {
                return parse(position, read);
            } catch (BadSampleException e) {
                if (count < bytes || bytes >= MAX_HEADER_BYTES) {
                    throw e;
                }
                bytes *= 16;
            }
        }
    }

    private HeaderAt parse(long position, byte[] bytes) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        try {
            PageHeader header = Util.readPageHeader(in);
            int length = bytes.length - in.available();
            boolean typed =
                    switch (header.getType()) {
                        case DATA_PAGE ->
                            header.getData_page_header() != null
                                    && header.getData_page_header().getNum_values() >= 0;
                        case DATA_PAGE_V2 ->
                            header.getData_page_header_v2() != null
                                    && header.getData_page_header_v2().getNum_values() >= 0
                                    && header.getData_page_header_v2().getNum_rows() >= 0;
                        case DICTIONARY_PAGE ->
                            header.getDictionary_page_header() != null
                                    && header.getDictionary_page_header().getNum_values() >= 0;
                        case INDEX_PAGE -> true;
                    };
            if (!typed
                    || header.getCompressed_page_size() < 0
                    || header.getCompressed_page_size() > MAX_PAGE_BYTES
                    || header.getCompressed_page_size() > end - position - length) {
                throw badSample(
                        position,
                        "expected the header of a page that ends at offset " + end + " or before, found a page of "
                                + header.getCompressed_page_size() + " bytes");
            }
            return new HeaderAt(header, length);
        } catch (BadSampleException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw damaged(position, "the header of a page is damaged: ", e);
        }
    }

    /** Reads a page and checks it against its checksum, if it has one. */
    StoredPage read(PageRange place) throws IOException {
        byte[] bytes = file.read(place.position, place.length);
        HeaderAt at = parse(place.position, bytes);
        int stored = at.header.getCompressed_page_size();
        if (stored > bytes.length - at.length) {
            throw badSample(
                    place.position, "expected a page of " + (bytes.length - at.length) + " bytes, found " + stored);
        }
        if (at.header.isSetCrc()) {
            CRC32 sum = new CRC32();
            sum.update(bytes, at.length, stored);
            if ((int) sum.getValue() != at.header.getCrc()) {
                throw badSample(
                        place.position,
                        String.format(
                                "expected a page with the checksum %08x, found %08x",
                                at.header.getCrc(), (int) sum.getValue()));
            }
        }
        return new StoredPage(place.position, at.header, ByteBuffer.wrap(bytes, at.length, stored));
    }

    /** Returns the page with the dictionary to which the other pages refer; empty when the column has no dictionary. */
    Optional<StoredPage> dictionary() throws IOException {
        if (start == end) {
            return Optional.empty();
        }
        HeaderAt at = header(start);
        return at.header.getType() == PageType.DICTIONARY_PAGE
                ? Optional.of(read(new PageRange(start, at.length + at.header.getCompressed_page_size())))
                : Optional.empty();
    }

    BadSampleException badSample(long position, String reason) {
        return new BadSampleException(file.name(), position, reason);
    }

    /** Returns the bad sample for an exception that a library threw while it parsed the file's bytes. */
    BadSampleException damaged(long position, String what, Throwable cause) {
        BadSampleException badSample = badSample(
                position, what + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()));
        badSample.initCause(cause);
        return badSample;
    }
}

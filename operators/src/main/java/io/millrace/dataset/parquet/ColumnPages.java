package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.storage.RangedFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;

/**
 * The stored pages of one column of one row group. Immutable and safe for several threads.
 *
 * <p>Tested by {@code ParquetDatasetTest}.
 */
final class ColumnPages {
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

    /** The largest size of a header that a {@linkplain FileWriter writer} did not count. */
    private static final int MAX_OMITTED_BYTES = 100;

    private final RangedFile file;
    private final ColumnMetaData meta;
    private final FileWriter writer;
    private final Optional<PageRange> offsetIndex;
    private final long start;
    private final long statedEnd;
    private final long end;

    private ColumnPages(RangedFile file, ColumnChunk chunk, FileWriter writer) {
        this.file = file;
        this.meta = chunk.getMeta_data();
        this.writer = writer;
        this.start = meta.isSetDictionary_page_offset() && meta.getDictionary_page_offset() > 0
                ? Math.min(meta.getDictionary_page_offset(), meta.getData_page_offset())
                : meta.getData_page_offset();
        this.statedEnd = start + meta.getTotal_compressed_size();
        this.end = writer.omitsDictionaryHeader()
                ? Math.max(statedEnd, Math.min(statedEnd + MAX_OMITTED_BYTES, file.size()))
                : statedEnd;
        this.offsetIndex = chunk.isSetOffset_index_offset() && chunk.isSetOffset_index_length()
                ? Optional.of(new PageRange(chunk.getOffset_index_offset(), chunk.getOffset_index_length()))
                : Optional.empty();
    }

    /**
     * Returns the pages of a column after a check of their position.
     *
     * @throws IllegalArgumentException when the pages are not within the file
     */
    static ColumnPages of(RangedFile file, ColumnChunk chunk, FileWriter writer) {
        if (chunk.getFile_path() != null) {
            throw new IllegalArgumentException(
                    "a column is in another file, '" + chunk.getFile_path() + "', which is not supported");
        }
        ColumnPages pages = new ColumnPages(file, chunk, writer);
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

    /** Returns the offset after the last page according to the footer. */
    long statedEnd() {
        return statedEnd;
    }

    /** Returns an offset that is not before the end of the last page. */
    long end() {
        return end;
    }

    /** Returns whether all pages are compressed, even if their headers state that they are not. */
    boolean compressesAllPages() {
        return writer.compressesAllPages();
    }

    /** Returns the bytes of the offset index, if the file has one that lies within the file. */
    Optional<byte[]> offsetIndex() throws IOException {
        if (offsetIndex.isEmpty()) {
            return Optional.empty();
        }
        PageRange index = offsetIndex.get();
        return index.position < 0 || index.length < 0 || index.length > file.size() - index.position
                ? Optional.empty()
                : Optional.of(file.read(index.position, index.length));
    }

    /** A page's header, and its length in bytes. */
    record HeaderAt(PageHeader header, int length) {
        /** Returns the number of bytes of the header and the page. */
        int total() {
            return Math.addExact(length, header.getCompressed_page_size());
        }

        /** Returns whether the page holds values, and not a dictionary or an index. */
        boolean hasValues() {
            return header.getType() == PageType.DATA_PAGE || header.getType() == PageType.DATA_PAGE_V2;
        }
    }

    /**
     * Reads the header of the page at an offset.
     *
     * @throws BadSampleException when there is no header, or the page does not lie within the column's pages
     */
    HeaderAt header(long position) throws IOException {
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
        } catch (IOException | RuntimeException | StackOverflowError e) { // unknown fields may be nested to any depth
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
                ? Optional.of(read(new PageRange(start, at.total())))
                : Optional.empty();
    }

    /** Decompresses a page whose stored bytes are compressed as a whole. */
    byte[] decompressed(StoredPage page) throws IOException {
        return decompressed(
                page,
                page.stored().position(),
                page.header().getCompressed_page_size(),
                page.header().getUncompressed_page_size());
    }

    /**
     * Decompresses a part of a page's stored bytes.
     *
     * @param length the length of the result in bytes, as the page's header states it
     */
    byte[] decompressed(StoredPage page, int from, int count, int length) throws IOException {
        try {
            return PageCodec.decompress(codec(), page.stored().array(), from, count, length);
        } catch (IOException e) {
            throw damaged(page.position(), "", e);
        }
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

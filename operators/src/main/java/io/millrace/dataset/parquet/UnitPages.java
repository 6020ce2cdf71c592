package io.millrace.dataset.parquet;

import io.millrace.dataset.parquet.ColumnPages.StoredPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.jspecify.annotations.Nullable;

/** The decompressed pages of one unit, in the form that Parquet's library reads. Belongs to one thread. */
final class UnitPages implements PageReader {
    /**
     * The largest number of values in one page. A larger number means damage, because writers end a page after some
     * thousand values.
     */
    private static final int MAX_VALUES = 1 << 26;

    private final ColumnPages column;
    private final Optional<StoredPage> dictionary;
    private final Queue<DataPage> pages = new ArrayDeque<>();
    private long values;

    UnitPages(ColumnPages column, List<StoredPage> stored, Optional<StoredPage> dictionary) throws IOException {
        this.column = column;
        this.dictionary = dictionary;
        for (StoredPage page : stored) {
            DataPage decompressed = page(page);
            values += decompressed.getValueCount();
            if (values > MAX_VALUES) {
                throw column.badSample(
                        page.position(), "expected at most " + MAX_VALUES + " values in a page, found " + values);
            }
            // The library reads at least one value from each page, so empty pages are left out.
            if (decompressed.getValueCount() > 0) {
                pages.add(decompressed);
            }
        }
    }

    private DataPage page(StoredPage page) throws IOException {
        PageHeader header = page.header();
        return switch (header.getType()) {
            case DATA_PAGE -> dataPageV1(page, header.getData_page_header());
            case DATA_PAGE_V2 -> dataPageV2(page, header.getData_page_header_v2());
            default ->
                throw column.badSample(
                        page.position(), "expected a page of values, found a page of the type " + header.getType());
        };
    }

    private byte[] decompress(StoredPage page, int from, int count, int length) throws IOException {
        try {
            return PageCodec.decompress(column.codec(), page.stored().array(), from, count, length);
        } catch (IOException e) {
            throw column.damaged(page.position(), "", e);
        }
    }

    private DataPage dataPageV1(StoredPage page, DataPageHeader header) throws IOException {
        int length = page.header().getUncompressed_page_size();
        byte[] bytes = decompress(page, page.stored().position(), page.header().getCompressed_page_size(), length);
        return new DataPageV1(
                BytesInput.from(bytes),
                header.getNum_values(),
                length,
                noStatistics(),
                encoding(header.getRepetition_level_encoding()),
                encoding(header.getDefinition_level_encoding()),
                encoding(header.getEncoding()));
    }

    private DataPage dataPageV2(StoredPage page, DataPageHeaderV2 header) throws IOException {
        int repetition = header.getRepetition_levels_byte_length();
        int definition = header.getDefinition_levels_byte_length();
        int stored = page.header().getCompressed_page_size();
        if (repetition < 0 || definition < 0 || (long) repetition + definition > stored) {
            throw column.badSample(
                    page.position(),
                    "expected levels within the page's " + stored + " bytes, found levels of " + repetition + " and "
                            + definition + " bytes");
        }
        int from = page.stored().position() + repetition + definition;
        int count = stored - repetition - definition;
        int length = page.header().getUncompressed_page_size() - repetition - definition;
        boolean compressed = !header.isSetIs_compressed() || header.isIs_compressed();
        byte[] bytes = compressed && count > 0
                ? decompress(page, from, count, length)
                : Arrays.copyOfRange(page.stored().array(), from, from + count);
        return DataPageV2.uncompressed(
                header.getNum_rows(),
                header.getNum_nulls(),
                header.getNum_values(),
                BytesInput.from(page.stored().array(), page.stored().position(), repetition),
                BytesInput.from(page.stored().array(), page.stored().position() + repetition, definition),
                encoding(header.getEncoding()),
                BytesInput.from(bytes),
                noStatistics());
    }

    /**
     * Returns null in place of statistics. The library stores them and never reads them, and creating empty statistics
     * would need its classes for geometry.
     */
    private static @Nullable Statistics<?> noStatistics() {
        return null;
    }

    private static Encoding encoding(org.apache.parquet.format.Encoding encoding) {
        return Encoding.valueOf(encoding.name());
    }

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
        if (dictionary.isEmpty()) {
            return null;
        }
        StoredPage page = dictionary.get();
        try {
            return new DictionaryPage(
                    BytesInput.from(decompress(
                            page,
                            page.stored().position(),
                            page.header().getCompressed_page_size(),
                            page.header().getUncompressed_page_size())),
                    page.header().getDictionary_page_header().getNum_values(),
                    encoding(page.header().getDictionary_page_header().getEncoding()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long getTotalValueCount() {
        return values;
    }

    @Override
    public @Nullable DataPage readPage() {
        return pages.poll();
    }
}

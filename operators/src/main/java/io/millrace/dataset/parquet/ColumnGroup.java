package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.parquet.ColumnPages.StoredPage;
import io.millrace.dataset.parquet.ColumnPages.Unit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.column.impl.ColumnReaderImpl;
import org.apache.parquet.io.api.PrimitiveConverter;

/**
 * One column of one row group, which returns the value of each row. Decoded pages are kept in a cache. Safe for several
 * threads.
 */
final class ColumnGroup {
    /**
     * The key of a cache entry: the directory of a column's pages, its dictionary, or the rows of the unit with the
     * given number.
     */
    record CacheKey(ColumnGroup group, int number) {}

    /** A cache entry. */
    sealed interface Loaded {
        long bytes();

        record Units(List<Unit> units) implements Loaded {
            @Override
            public long bytes() {
                return 120L * units.size();
            }
        }

        record Dictionary(Optional<StoredPage> page) implements Loaded {
            @Override
            public long bytes() {
                return page.map(p -> (long) p.stored().array().length).orElse(100L);
            }
        }

        record Rows(DecodedRows rows) implements Loaded {
            @Override
            public long bytes() {
                return rows.bytes();
            }
        }
    }

    private static final int UNITS = -1;
    private static final int DICTIONARY = -2;

    private final ParquetColumn column;
    private final ColumnPages pages;
    private final LoadedCache<CacheKey, Loaded> cache;

    ColumnGroup(ParquetColumn column, ColumnPages pages, LoadedCache<CacheKey, Loaded> cache) {
        this.column = column;
        this.pages = pages;
        this.cache = cache;
    }

    /** Returns the offset of the column's first page in the file. */
    long start() {
        return pages.start();
    }

    /**
     * Returns the value of a row of the group.
     *
     * @throws BadSampleException when the value is null or a list without a fixed shape, or its page is damaged
     */
    StoredValue value(long row) throws IOException {
        List<Unit> units = units();
        int number = numberOf(units, row);
        Unit unit = units.get(number);
        Loaded loaded = cache.get(new CacheKey(this, number), () -> new Loaded.Rows(decode(unit)));
        DecodedRows rows = ((Loaded.Rows) loaded).rows();
        int at = (int) (row - unit.firstRow());
        return switch (rows.state(at)) {
            case VALUE -> rows.value(at);
            case NULL -> throw pages.badSample(offset(unit), "expected a value, found null");
            case IRREGULAR ->
                throw pages.badSample(offset(unit), "expected inner lists of one length without nulls, found others");
        };
    }

    private long offset(Unit unit) {
        return unit.pages().isEmpty() ? pages.start() : unit.pages().get(0).position();
    }

    private List<Unit> units() throws IOException {
        Loaded loaded = cache.get(new CacheKey(this, UNITS), () -> new Loaded.Units(pages.units(column.depth())));
        return ((Loaded.Units) loaded).units();
    }

    private static int numberOf(List<Unit> units, long row) {
        int low = 0;
        int high = units.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (units.get(middle).firstRow() <= row) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private DecodedRows decode(Unit unit) throws IOException {
        Loaded dictionary = cache.get(new CacheKey(this, DICTIONARY), () -> new Loaded.Dictionary(pages.dictionary()));
        List<StoredPage> stored = new ArrayList<>();
        for (ColumnPages.PageRange place : unit.pages()) {
            stored.add(pages.read(place));
        }
        try {
            UnitPages decompressed = new UnitPages(pages, stored, ((Loaded.Dictionary) dictionary).page());
            DecodedRows rows = UnitDecoder.decode(
                    column,
                    new ColumnReaderImpl(column.descriptor(), decompressed, new PrimitiveConverter() {}, null),
                    decompressed.getTotalValueCount());
            if (rows.rows() != unit.rows()) {
                throw pages.badSample(
                        offset(unit), "expected " + unit.rows() + " rows in a page, found " + rows.rows());
            }
            return rows;
        } catch (RuntimeException e) {
            throw pages.damaged(offset(unit), "the page is damaged: ", e);
        } catch (OutOfMemoryError e) {
            // A damaged run of values may state any length, and the library allocates memory for that length before it
            // reads the values.
            throw pages.damaged(offset(unit), "the page needs more memory than is available: ", e);
        }
    }
}

package io.millrace.dataset.parquet;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.parquet.ColumnPages.PageRange;
import io.millrace.dataset.parquet.ColumnPages.StoredPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One column of one row group, which returns the value of each row. The positions of its parts are found once and kept,
 * because that may need a read of all pages. Decoded parts are kept in a cache. Safe for several threads.
 *
 * <p>Tested by {@code ParquetDatasetTest}.
 */
final class ColumnGroup {
    /** The key of a cache entry: a column's dictionary, or the part of {@code owner} with the given number. */
    record CacheKey(Object owner, int number) {}

    /** A cache entry. */
    sealed interface Loaded {
        long bytes();

        record Dictionary(Optional<PageDictionary> values) implements Loaded {
            @Override
            public long bytes() {
                return values.map(PageDictionary::bytes).orElse(100L);
            }
        }

        record Rows(DecodedRows rows) implements Loaded {
            @Override
            public long bytes() {
                return rows.bytes();
            }
        }
    }

    private static final int DICTIONARY = -1;

    /** The share of the cache that a part may take, so that several parts stay in the cache at a time. */
    private static final int PARTS_IN_CACHE = 4;

    private static final int ROW_BYTES = 8;

    private final ParquetColumn column;
    private final ColumnPages pages;
    private final long rows;
    private final LoadedCache<CacheKey, Loaded> cache;
    private final Object lock = new Object();

    /** Null until a value is read. Threads that have read it use it without the lock. */
    private volatile @Nullable ColumnParts parts;

    /** Creates a column. {@code rows} is the number of rows of the row group. */
    ColumnGroup(ParquetColumn column, ColumnPages pages, long rows, LoadedCache<CacheKey, Loaded> cache) {
        this.column = column;
        this.pages = pages;
        this.rows = rows;
        this.cache = cache;
    }

    /** Returns the offset of the column's first page in the file. */
    long start() {
        return pages.start();
    }

    ParquetColumn column() {
        return column;
    }

    /**
     * Returns the value of a row of the group.
     *
     * @throws BadSampleException when the value is null or a list without a fixed shape, or its page is damaged
     */
    StoredValue value(long row) throws IOException {
        Place place = place(row);
        DecodedRows decoded = place.rows();
        return switch (decoded.state(place.at())) {
            case VALUE -> decoded.value(place.at());
            case NULL -> throw pages.badSample(place.position(), "expected a value, found null");
            case IRREGULAR ->
                throw pages.badSample(
                        place.position(), "expected inner lists of one length without nulls, found others");
            case TOO_LARGE -> throw tooLarge(place);
        };
    }

    private BadSampleException tooLarge(Place place) {
        return pages.badSample(place.position(), "expected numbers below 2^63, found a larger one");
    }

    /** Returns the entries of a row of a nested column. */
    LeafValues entries(long row) throws IOException {
        Place place = place(row);
        if (place.rows().state(place.at()) == DecodedRows.State.TOO_LARGE) {
            throw tooLarge(place);
        }
        return place.rows().entries(place.at());
    }

    /** Returns the exception for a bad value of the group. */
    BadSampleException badSample(String reason) {
        return pages.badSample(pages.start(), reason);
    }

    /**
     * The place of a row among the decoded rows of a part.
     *
     * @param position the offset of the part in the file
     */
    private record Place(DecodedRows rows, int at, long position) {}

    private Place place(long row) throws IOException {
        ColumnParts known = parts();
        try {
            return place(known, row);
        } catch (MisplacedRowsException e) {
            // The offset index or the headers state the wrong rows, but the levels show where rows begin.
            return place(scanned(known), row);
        }
    }

    private Place place(ColumnParts known, long row) throws IOException {
        if (row >= known.rows()) {
            BadSampleException failure = known.failure().orElseThrow();
            BadSampleException badSample = new BadSampleException(failure.file(), failure.offset(), failure.reason());
            badSample.initCause(failure);
            throw badSample;
        }
        int part = known.partOf(row);
        Loaded loaded = cache.get(new CacheKey(known, part), () -> new Loaded.Rows(decode(known, part)));
        return new Place(((Loaded.Rows) loaded).rows(), (int) (row - known.firstRow(part)), known.position(part));
    }

    private int mostValues() {
        return (int)
                Math.max(1, Math.min(1 << 30, cache.limitBytes() / PARTS_IN_CACHE / (column.valueBytes() + ROW_BYTES)));
    }

    private ColumnParts parts() throws IOException {
        ColumnParts known = parts;
        if (known == null) {
            synchronized (lock) {
                known = parts;
                if (known == null) {
                    known = PartFinder.find(column, pages, rows, mostValues());
                    parts = known;
                }
            }
        }
        return known;
    }

    /** Returns the parts that a scan of the levels finds, in place of {@code wrong}. */
    private ColumnParts scanned(ColumnParts wrong) throws IOException {
        synchronized (lock) {
            ColumnParts known = parts;
            if (known == null || known == wrong) {
                known = PartFinder.scan(column, pages, rows, mostValues());
                parts = known;
            }
            return known;
        }
    }

    private DecodedRows decode(ColumnParts known, int part) throws IOException {
        Loaded dictionary = cache.get(new CacheKey(this, DICTIONARY), () -> new Loaded.Dictionary(dictionary()));
        try {
            List<PartDecoder.Piece> pieces = new ArrayList<>();
            for (ColumnParts.Piece piece : known.pieces(part)) {
                StoredPage stored = pages.read(new PageRange(piece.position(), piece.length()));
                DecompressedPage page = DecompressedPage.of(pages, column, stored);
                int to = piece.to() == ColumnParts.Piece.ALL ? page.count() : piece.to();
                if (piece.from() > to || to > page.count()) {
                    throw new MisplacedRowsException(
                            "expected a page of at least " + to + " values, found " + page.count());
                }
                pieces.add(new PartDecoder.Piece(page, piece.from(), to));
            }
            DecodedRows decoded = PartDecoder.decode(column, pieces, ((Loaded.Dictionary) dictionary).values());
            if (decoded.rows() != known.rows(part)) {
                throw new MisplacedRowsException(
                        "expected " + known.rows(part) + " rows in a page, found " + decoded.rows());
            }
            return decoded;
        } catch (MisplacedRowsException e) {
            if (!known.scanned()) {
                throw e;
            }
            throw pages.badSample(known.position(part), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            throw pages.damaged(known.position(part), "the page is damaged: ", e);
        }
    }

    private Optional<PageDictionary> dictionary() throws IOException {
        Optional<StoredPage> stored = pages.dictionary();
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        StoredPage page = stored.get();
        byte[] bytes = pages.decompressed(page);
        try {
            return Optional.of(PageDictionary.of(
                    column, bytes, page.header().getDictionary_page_header().getNum_values()));
        } catch (RuntimeException e) {
            throw pages.damaged(page.position(), "the dictionary is damaged: ", e);
        }
    }
}

package io.millrace.dataset.parquet;

import io.millrace.dataset.parquet.ColumnPages.StoredPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;

/**
 * A page of values after decompression. Its levels state the rows and lists to which its values belong. Immutable and
 * safe for several threads.
 *
 * <p>Tested by {@code ParquetPagesTest}.
 */
final class DecompressedPage {
    private final int count;
    private final Levels repetitions;
    private final Levels definitions;
    private final Encoding encoding;

    /** An array that ends with the values. */
    private final byte[] bytes;

    private final int valuesFrom;

    private DecompressedPage(
            int count, Levels repetitions, Levels definitions, Encoding encoding, byte[] bytes, int valuesFrom) {
        this.count = count;
        this.repetitions = repetitions;
        this.definitions = definitions;
        this.encoding = encoding;
        this.bytes = bytes;
        this.valuesFrom = valuesFrom;
    }

    /** Returns the number of levels: values, nulls and empty lists. */
    int count() {
        return count;
    }

    /** Returns a new reader of the repetition levels, which are all 0 outside of lists. */
    RunLengths repetitions() {
        return repetitions.read(count);
    }

    /** Returns a new reader of the definition levels, which are all 0 when nothing can be null. */
    RunLengths definitions() {
        return definitions.read(count);
    }

    /** Returns the encoding of the values. */
    Encoding encoding() {
        return encoding;
    }

    /** Returns the array that ends with the values. The caller must not change it. */
    byte[] bytes() {
        return bytes;
    }

    /** Returns the offset of the values in {@link #bytes}. */
    int valuesFrom() {
        return valuesFrom;
    }

    /** The stored levels of one kind. Levels of 0 bits are all 0. */
    private static final class Levels {
        private final byte[] bytes;
        private final int from;
        private final int end;
        private final int width;

        /** Whether the levels have the deprecated encoding BIT_PACKED. */
        private final boolean packed;

        Levels(byte[] bytes, int from, int end, int width, boolean packed) {
            this.bytes = bytes;
            this.from = from;
            this.end = end;
            this.width = width;
            this.packed = packed;
        }

        RunLengths read(int count) {
            return packed
                    ? RunLengths.ofPackedLevels(bytes, from, count, width)
                    : new RunLengths(bytes, from, end, width);
        }
    }

    /**
     * Decompresses a page.
     *
     * @throws io.millrace.dataset.BadSampleException when the page is damaged
     */
    static DecompressedPage of(ColumnPages column, ParquetColumn type, StoredPage page) throws IOException {
        PageHeader header = page.header();
        try {
            return switch (header.getType()) {
                case DATA_PAGE -> ofVersion1(column, type, page, header.getData_page_header());
                case DATA_PAGE_V2 -> ofVersion2(column, type, page, header.getData_page_header_v2());
                default ->
                    throw column.badSample(
                            page.position(), "expected a page of values, found a page of the type " + header.getType());
            };
        } catch (IllegalArgumentException e) {
            throw column.damaged(page.position(), "the page is damaged: ", e);
        }
    }

    private static DecompressedPage ofVersion1(
            ColumnPages column, ParquetColumn type, StoredPage page, DataPageHeader header) throws IOException {
        byte[] bytes = column.decompressed(page);
        int count = header.getNum_values();
        Levels repetitions = levels(bytes, 0, type.depth(), header.getRepetition_level_encoding(), count);
        Levels definitions =
                levels(bytes, repetitions.end, type.definition(), header.getDefinition_level_encoding(), count);
        return new DecompressedPage(count, repetitions, definitions, header.getEncoding(), bytes, definitions.end);
    }

    private static Levels levels(byte[] bytes, int from, int most, Encoding encoding, int count) {
        int width = width(most);
        if (width == 0) {
            return new Levels(bytes, from, from, 0, false);
        }
        boolean packed = encoding == Encoding.BIT_PACKED;
        if (!packed && encoding != Encoding.RLE) {
            throw new IllegalArgumentException("the encoding " + encoding + " of levels is not supported");
        }
        int begin = packed ? from : from + Integer.BYTES;
        int left = bytes.length - begin;
        int length = packed
                ? RunLengths.packedBytes(count, width)
                : left < 0
                        ? -1
                        : ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(from);
        if (length < 0 || length > left) {
            throw new IllegalArgumentException(
                    "expected levels within the page's last " + left + " bytes, found levels of " + length + " bytes");
        }
        return new Levels(bytes, begin, begin + length, width, packed);
    }

    private static int width(int most) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(most);
    }

    private static DecompressedPage ofVersion2(
            ColumnPages column, ParquetColumn type, StoredPage page, DataPageHeaderV2 header) throws IOException {
        byte[] stored = page.stored().array();
        int from = page.stored().position();
        int length = page.header().getCompressed_page_size();
        int repetition = header.getRepetition_levels_byte_length();
        int definition = header.getDefinition_levels_byte_length();
        if (repetition < 0 || definition < 0 || (long) repetition + definition > length) {
            throw column.badSample(
                    page.position(),
                    "expected levels within the page's " + length + " bytes, found levels of " + repetition + " and "
                            + definition + " bytes");
        }
        int middle = from + repetition;
        int valuesFrom = middle + definition;
        int count = header.getNum_values();
        byte[] values = values(column, page, header, valuesFrom, from + length);
        return new DecompressedPage(
                count,
                new Levels(stored, from, middle, width(type.depth()), false),
                new Levels(stored, middle, valuesFrom, width(type.definition()), false),
                header.getEncoding(),
                values,
                0);
    }

    private static byte[] values(ColumnPages column, StoredPage page, DataPageHeaderV2 header, int from, int end)
            throws IOException {
        int levels = header.getRepetition_levels_byte_length() + header.getDefinition_levels_byte_length();
        int length = page.header().getUncompressed_page_size() - levels;
        boolean compressed = !header.isSetIs_compressed() || header.isIs_compressed() || column.compressesAllPages();
        if (compressed && end > from) {
            return column.decompressed(page, from, end - from, length);
        }
        if (end - from != length) {
            throw column.badSample(
                    page.position(),
                    "expected a page that is not compressed to have " + length + " bytes of values, found "
                            + (end - from));
        }
        return Arrays.copyOfRange(page.stored().array(), from, end);
    }
}

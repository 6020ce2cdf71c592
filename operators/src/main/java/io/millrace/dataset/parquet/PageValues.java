package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;

/**
 * The values of one page that are not null, in their order. A reader has a position, which its methods move. Belongs
 * to one thread. Its methods throw a {@link RuntimeException} when the page is damaged, and never allocate memory for
 * a number of values that only the page states.
 */
interface PageValues {
    /** Returns the largest number of values that the bytes of the page can hold, from its first value on. */
    long most();

    /** Skips values. */
    void skip(int count);

    /**
     * Copies the next values to {@code to} from {@code at} on. Each value has the width with which the column stores
     * it, and is little-endian.
     */
    void numbers(int count, byte[] to, int at);

    /** Appends the bytes of the next values to {@code to}. The buffers may share the bytes of the page. */
    void slices(int count, List<ByteBuffer> to);

    /**
     * Returns the values of a page.
     *
     * @throws IllegalArgumentException when the encoding is not one of the column's type
     */
    static PageValues of(ParquetColumn column, DecompressedPage page, Optional<PageDictionary> dictionary) {
        byte[] bytes = page.bytes();
        int from = page.valuesFrom();
        boolean binary = column.width() == 0;
        Encoding encoding = page.encoding();
        return switch (encoding) {
            case PLAIN -> PlainValues.of(column, bytes, from);
            case PLAIN_DICTIONARY, RLE_DICTIONARY ->
                new DictionaryValues(
                        dictionary.orElseThrow(() -> new IllegalArgumentException(
                                "the page refers to a dictionary, but the column has none")),
                        bytes,
                        from);
            case RLE -> {
                require(column.stored() == Type.BOOLEAN, column, encoding);
                yield new RunLengthBooleans(bytes, from);
            }
            case DELTA_BINARY_PACKED -> {
                require(column.stored() == Type.INT32 || column.stored() == Type.INT64, column, encoding);
                yield new DeltaNumbers(column.width(), bytes, from);
            }
            case DELTA_LENGTH_BYTE_ARRAY -> {
                require(binary, column, encoding);
                yield DeltaStrings.ofLengths(bytes, from);
            }
            case DELTA_BYTE_ARRAY -> {
                require(binary || column.stored() == Type.FIXED_LEN_BYTE_ARRAY, column, encoding);
                yield DeltaStrings.ofPrefixes(column.width(), bytes, from);
            }
            case BYTE_STREAM_SPLIT -> {
                require(!binary && column.stored() != Type.BOOLEAN, column, encoding);
                yield new SplitValues(column.width(), bytes, from);
            }
            default -> throw new IllegalArgumentException("the encoding " + encoding + " of values is not supported");
        };
    }

    private static void require(boolean fits, ParquetColumn column, Encoding encoding) {
        if (!fits) {
            throw new IllegalArgumentException(
                    "values of the type " + column.stored() + " cannot have the encoding " + encoding);
        }
    }
}

package io.millrace.dataset.parquet;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The values to which the numbers in a column's pages refer. Immutable and safe for several threads. */
final class PageDictionary {
    private static final long ARRAY_BYTES = 64;

    private final int size;
    private final int width;

    /** The values, one after the other; empty when {@code width} is 0. */
    private final byte[] numbers;

    /** The values when {@code width} is 0. */
    private final List<ByteBuffer> arrays;

    private PageDictionary(int size, int width, byte[] numbers, List<ByteBuffer> arrays) {
        this.size = size;
        this.width = width;
        this.numbers = numbers;
        this.arrays = arrays;
    }

    /**
     * Returns the dictionary that a decompressed page holds.
     *
     * @param size the number of values that the page states
     * @throws RuntimeException when the page does not hold that many values
     */
    static PageDictionary of(ParquetColumn column, byte[] page, int size) {
        PageValues values = PlainValues.of(column, page, 0);
        if (size > values.most()) {
            throw new IllegalArgumentException("expected a dictionary of " + size + " values, found space for at most "
                    + values.most() + " values");
        }
        List<ByteBuffer> arrays = new ArrayList<>();
        byte[] numbers = new byte[size * column.width()];
        if (column.width() == 0) {
            values.slices(size, arrays);
        } else {
            values.numbers(size, numbers, 0);
        }
        return new PageDictionary(size, column.width(), numbers, arrays);
    }

    /** Returns the number of values. */
    int size() {
        return size;
    }

    /** Copies a value of one width to {@code to} from {@code at} on. */
    void number(int index, byte[] to, int at) {
        // Arrays of a few bytes are copied faster byte by byte.
        int from = index * width;
        for (int i = 0; i < width; i++) {
            to[at + i] = numbers[from + i];
        }
    }

    /** Returns the bytes of a value. */
    ByteBuffer slice(int index) {
        return width == 0 ? arrays.get(index) : ByteBuffer.wrap(numbers, index * width, width);
    }

    /** Returns the number of bytes of each value; 0 for byte arrays of any length. */
    int width() {
        return width;
    }

    /** Returns the approximate memory of this object in bytes. */
    long bytes() {
        long bytes = ARRAY_BYTES + numbers.length;
        for (ByteBuffer array : arrays) {
            bytes += ARRAY_BYTES + array.remaining();
        }
        return bytes;
    }
}

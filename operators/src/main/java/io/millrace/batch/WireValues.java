package io.millrace.batch;

/**
 * The bytes of a field on the wire, before bits are packed: converted to the wire type, and without zeros if the column
 * is sparse. Belongs to one packer and reuses its memory from sample to sample.
 */
final class WireValues {
    private static final byte[] NONE = {};

    private final BatchSpec.Column column;
    private byte[] converted = NONE;
    private byte[] entries = NONE;
    private byte[] bytes = NONE;
    private int length;

    WireValues(BatchSpec.Column column) {
        this.column = column;
    }

    /**
     * Returns the largest number of bytes that {@link #convert} can produce for a field. If nothing is converted, the
     * number is exact.
     */
    long atMost(byte[] values) {
        int width = column.dtype().bytes();
        int given = column.from().bytes();
        return column.form() == Form.SPARSE
                ? (long) SparseValues.count(values, given) * column.entryBytes()
                : (long) values.length / given * width;
    }

    /**
     * Converts the values of the next sample.
     *
     * @param values the elements, in the type of the samples
     * @throws BadValueException when a value does not fit
     */
    void convert(byte[] values) {
        byte[] numbers = column.converted() ? converted(values) : values;
        if (column.form() != Form.SPARSE) {
            bytes = numbers;
            length = numbers.length;
            return;
        }
        int width = column.dtype().bytes();
        length = SparseValues.pack(numbers, width, entries);
        if (length < 0) {
            int needed = Math.multiplyExact(SparseValues.count(numbers, width), column.entryBytes());
            entries = new byte[needed + needed / 2];
            length = SparseValues.pack(numbers, width, entries);
        }
        bytes = entries;
    }

    private byte[] converted(byte[] values) {
        int needed = Math.multiplyExact(
                values.length / column.from().bytes(), column.dtype().bytes());
        if (converted.length != needed) { // only ragged rows differ in length
            converted = new byte[needed];
        }
        int unfit = WireNumbers.convert(values, column.from(), converted, column.dtype());
        if (unfit >= 0) {
            throw BadValueException.of(column, WireNumbers.describe(values, column.from(), unfit), unfit);
        }
        return converted;
    }

    /** Returns the converted values: {@link #length} bytes, which is the array's length unless the column is sparse. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }
}

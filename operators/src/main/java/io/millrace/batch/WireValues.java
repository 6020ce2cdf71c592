package io.millrace.batch;

/**
 * The bytes of a sample's field as they travel, before bits are put together: of the column's element type, and without
 * zeros where it is sparse. Reuses its memory from sample to sample; belongs to one packer.
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

    /** The most bytes that {@link #take} will make of a field; exactly so many where nothing is converted. */
    long atMost(byte[] values) {
        int width = column.dtype().bytes();
        int given = column.from().bytes();
        return column.form() == Form.SPARSE
                ? (long) SparseValues.count(values, given) * column.entryBytes()
                : (long) values.length / given * width;
    }

    /**
     * Takes the values of the next sample, of the type that the samples have.
     *
     * @throws BadValueException when one of them does not fit
     */
    void take(byte[] values) {
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
        if (converted.length != needed) { // of ragged rows alone the lengths differ
            converted = new byte[needed];
        }
        int unfit = WireNumbers.convert(values, column.from(), converted, column.dtype());
        if (unfit >= 0) {
            throw BadValueException.of(column, WireNumbers.told(values, column.from(), unfit), unfit);
        }
        return converted;
    }

    /** What was taken; {@link #length} bytes of it, the array's length where the column is not sparse. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }
}

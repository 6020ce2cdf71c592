package io.millrace.sample;

import java.util.Arrays;
import java.util.List;

/**
 * The samples of a dataset as rows that lie in memory outside the Java heap, for example in a mapped file. All rows have the same
 * fields, with the same types and shapes. Any number of threads may copy rows.
 */
public interface StoredRows {
    /**
     * A field that every row has.
     *
     * @param name the name of the field
     * @param dtype the type of the elements, which are stored little-endian; not {@link DType#ENCODED}
     * @param shape the extents of one row, outermost first
     */
    record Column(String name, DType dtype, List<Integer> shape) {
        public Column {
            shape = List.copyOf(shape);
        }

        /** Returns the column whose rows have the type and the shape of a field. */
        public static Column of(String name, Field row) {
            return new Column(
                    name, row.dtype(), Arrays.stream(row.shape()).boxed().toList());
        }

        /** Returns the number of bytes of one row. */
        public long bytes() {
            long bytes = dtype.bytes();
            for (int extent : shape) {
                bytes *= extent;
            }
            return bytes;
        }
    }

    /** Returns the fields of a row. */
    List<Column> columns();

    /**
     * Copies the values of one row.
     *
     * @param column the number of the field among {@link #columns}
     * @param index the index of the row's sample in the dataset; the caller has checked its range
     * @param address the address in native memory to copy to, with room for {@link Column#bytes} bytes
     */
    void copy(int column, long index, long address);

    /**
     * Reads the values of one row from the disk if they are not in memory, so that {@link #copy} does not wait.
     *
     * @param column the number of the field among {@link #columns}
     * @param index the index of the row's sample in the dataset; the caller has checked its range
     */
    void load(int column, long index);

    /** Returns the name of a row's sample in messages, as {@link Sample#key} does. */
    String key(long index);
}

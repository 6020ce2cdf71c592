package io.millrace.dataset.columns;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * One file of rows and columns. Its structure has been read when it is open, and its values are read later. Immutable,
 * for any thread.
 */
public interface Table extends Closeable {
    /**
     * A column, as the basis for the choice of columns.
     *
     * @param name the column's name
     * @param type the type's name in the file
     * @param picture whether the column holds encoded images, as far as the file shows
     * @param classes the names that the file stores for the column's numbers; empty when there are none
     */
    record Column(String name, String type, boolean picture, List<String> classes) {}

    /** Some columns of a table. Several threads may read them at once. They are closed with their table. */
    interface Rows {
        /**
         * Returns one value.
         *
         * @param column the column's number among the selected columns
         * @param row 0 to {@code rows() - 1}
         * @throws BadSampleException when there is no value, or the bytes of the value are damaged
         */
        StoredValue value(int column, long row) throws IOException;

        /** Returns the offset of a row in the file in bytes, as far as it is known, or -1. */
        long offset(long row);

        /**
         * Returns the names that a column stores as numbers, in their order; empty when the column has no dictionary.
         */
        List<String> dictionary(int column) throws IOException;
    }

    /** Returns the file's name for people. */
    String name();

    /** Returns the number of rows. */
    long rows();

    /** Returns the columns, without those that are nested in others. */
    List<Column> columns();

    /**
     * Prepares columns for reading.
     *
     * @param columns the names of the columns; {@code a.b} is column b within a, unless a column has that whole name
     * @throws DatasetException when there is no column of a name, or its type cannot be read
     */
    Rows select(List<String> columns) throws IOException;
}

package io.millrace.dataset.columns;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** One file of rows and columns, opened and looked through, its values still to be read. Immutable, for any thread. */
public interface Table extends Closeable {
    /**
     * A column, for choosing.
     *
     * @param type what the file calls its type
     * @param picture whether the file says, or all but says, that it holds encoded images
     * @param classes the names that the file has for its numbers, empty where there are none
     */
    record Column(String name, String type, boolean picture, List<String> classes) {}

    /** Some columns of a table, read by several threads at once. Closed with its table. */
    interface Rows {
        /**
         * One value.
         *
         * @param column its place among those selected
         * @param row 0 to {@code rows() - 1}
         * @throws BadSampleException when there is none, or what stands there is damaged
         */
        StoredValue value(int column, long row) throws IOException;

        /** Where a row stands in the file, in bytes as far as it is known, or -1. */
        long offset(long row);

        /** The names that a column's values are stored as numbers of, in their order; empty where they are not. */
        List<String> dictionary(int column) throws IOException;
    }

    /** What a person calls the file. */
    String name();

    /** How many rows it has. */
    long rows();

    /** Its columns, those within others left out. */
    List<Column> columns();

    /**
     * Makes columns ready to be read.
     *
     * @param columns names; {@code a.b} is b within a where no column has that name
     * @throws DatasetException when there is none of a name, or it is of a type that is not read
     */
    Rows select(List<String> columns) throws IOException;
}

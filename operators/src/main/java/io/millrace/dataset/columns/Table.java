package io.millrace.dataset.columns;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.sample.DType;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One file of rows and columns. Opening the file reads its structure; values are read later. Immutable and safe for
 * several threads.
 */
public interface Table extends Closeable {
    /**
     * A column of the file, with the properties by which columns are chosen.
     *
     * @param name the column's name
     * @param type the type's name in the file
     * @param picture whether the column holds encoded images, as far as the file shows
     * @param classes the names that the file stores for the column's numbers; empty when there are none
     */
    record Column(String name, String type, boolean picture, List<String> classes) {}

    /** The selected columns of a table. Several threads may read them at once. Closing the table closes them. */
    interface Rows {
        /**
         * Returns one value.
         *
         * @param column the column's number among the selected columns
         * @param row 0 to {@code rows() - 1}
         * @throws BadSampleException when there is no value, or the bytes of the value are damaged
         */
        StoredValue value(int column, long row) throws IOException;

        /** Returns the offset of a row in the file in bytes, or -1 when the offset is not known. */
        long offset(long row);

        /**
         * Returns the names that a column stores as numbers, in their order; empty when the column has no dictionary.
         */
        List<String> dictionary(int column) throws IOException;

        /**
         * Returns whether the file declares the number of extents of a column's values and all extents but the first. Lists within
         * lists have only the extents that their elements show.
         */
        default boolean declaresShape(int column) {
            return true;
        }

        /** Returns the element type of a column of numbers; empty for a column of bytes or text. */
        default Optional<DType> elementType(int column) {
            return Optional.empty();
        }

        /**
         * Returns whether a read of the columns needs no I/O, because their values are in mapped files that are nearly
         * completely in the page cache.
         */
        default boolean resident() {
            return false;
        }
    }

    /** Returns the file's name for people. */
    String name();

    /** Returns the number of rows. */
    long rows();

    /** Returns the columns, without those that are nested in others. */
    List<Column> columns();

    /** Returns the columns that could be labels, for users who read none. */
    default LabelCandidates labelCandidates() throws IOException {
        return LabelColumns.of(this);
    }

    /**
     * Prepares columns for reading.
     *
     * @param columns the names of the columns; {@code a.b} is column b within a, unless a column has that whole name
     * @param texts the numbers of the columns that become text: structs and lists in them are read as JSON text, if the format has them
     * @throws DatasetException when no column has one of the names, or the type of a column cannot be read
     */
    Rows select(List<String> columns, Set<Integer> texts) throws IOException;
}

package io.millrace.dataset.parquet;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.NestedText;
import io.millrace.dataset.columns.StoredValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * A column of structs and lists, whose rows become JSON text. The columns within it are read one by one, and a row is put together by
 * their levels, as the paper on Dremel (Melnik et al., 2010) describes it.
 *
 * <p>Tested by {@code NestedColumnsTest}.
 *
 * @param column the group of columns
 * @param leaves the columns within it that hold values, in the order of the schema
 */
record NestedColumn(SchemaTree column, List<ParquetColumn> leaves) {
    /** Returns whether a column consists of others, and can be read as JSON text. */
    static boolean isText(SchemaTree column) {
        return !column.isLeaf() && !isWithinList(column) && hasText(column);
    }

    private static boolean hasText(SchemaTree part) {
        return isSupported(part) && part.children().stream().allMatch(NestedColumn::hasText);
    }

    private static boolean isSupported(SchemaTree part) {
        return part.isLeaf()
                ? LeafTypes.content(part.element())
                        .filter(content -> content.dtype() != null || content.text())
                        .isPresent()
                : !isMap(part);
    }

    private static boolean isWithinList(SchemaTree column) {
        return column.repetition() > (isRepeated(column) ? 1 : 0);
    }

    /**
     * Returns a column.
     *
     * @throws DatasetException when the column is within a list, or a column within it has values that JSON does not have
     */
    static NestedColumn of(String file, SchemaTree column) throws DatasetException {
        if (isWithinList(column)) {
            throw new DatasetException(file + ": column '" + String.join(".", column.path())
                    + "' is within a list: with as: text, read the whole column '"
                    + column.path().get(0) + "'");
        }
        List<ParquetColumn> leaves = new ArrayList<>();
        add(file, column, column, leaves);
        return new NestedColumn(column, List.copyOf(leaves));
    }

    private static void add(String file, SchemaTree whole, SchemaTree part, List<ParquetColumn> leaves)
            throws DatasetException {
        if (!isSupported(part)) {
            throw new DatasetException(file + ": column '" + whole.name() + "' cannot be read as text: '"
                    + String.join(".", part.path()) + "' in it is of the type "
                    + (part.isLeaf() ? part.describe() : "map") + ", which JSON text does not have");
        }
        if (part.isLeaf()) {
            leaves.add(
                    ColumnFinder.column(part, LeafTypes.content(part.element()).orElseThrow(), true));
        }
        for (SchemaTree child : part.children()) {
            add(file, whole, child, leaves);
        }
    }

    private static boolean isMap(SchemaTree group) {
        LogicalType logical = group.element().getLogicalType();
        ConvertedType converted = group.element().getConverted_type();
        return (logical != null && logical.isSetMAP())
                || converted == ConvertedType.MAP
                || converted == ConvertedType.MAP_KEY_VALUE;
    }

    private static boolean isList(SchemaTree group) {
        LogicalType logical = group.element().getLogicalType();
        return ((logical != null && logical.isSetLIST()) || group.element().getConverted_type() == ConvertedType.LIST)
                && group.children().size() == 1
                && isRepeated(group.children().get(0));
    }

    private static boolean isRepeated(SchemaTree part) {
        return part.element().getRepetition_type() == FieldRepetitionType.REPEATED;
    }

    /** Returns whether a repeated group of a list is the element itself, by the rules for old writers in Parquet's documentation. */
    private static boolean isElement(SchemaTree list, SchemaTree repeated) {
        return repeated.children().size() != 1
                || repeated.name().equals("array")
                || repeated.name().equals(list.name() + "_tuple");
    }

    /**
     * Returns the JSON text of a row.
     *
     * @param values the values of the row in each of {@link #leaves}
     * @return null when the whole value is null
     * @throws IllegalArgumentException when the columns do not fit together, or a text is no UTF-8
     */
    @Nullable
    StoredValue text(List<LeafValues> values) throws IOException {
        if (values.get(0).definition() < column.definition() && !isRepeated(column)) {
            return null;
        }
        Row row = new Row(values, new NestedText());
        row.write(column, 0);
        for (LeafValues leaf : values) {
            if (!leaf.ended()) {
                throw new IllegalArgumentException("expected columns with the same lists, found others");
            }
        }
        return row.text().value();
    }

    /** The parts of a row so far. */
    private record Row(List<LeafValues> values, NestedText text) {
        /** Writes a part, of which the first column with values has a number, and returns the number after its last one. */
        int write(SchemaTree part, int leaf) throws IOException {
            LeafValues first = values.get(leaf);
            if (isRepeated(part)) {
                return list(part, part, true, leaf);
            }
            if (first.definition() < part.definition()) {
                text.absent();
                return skip(part, leaf);
            }
            return content(part, leaf);
        }

        private int content(SchemaTree part, int leaf) throws IOException {
            if (part.isLeaf()) {
                values.get(leaf).write(text);
                return leaf + 1;
            }
            if (isList(part)) {
                SchemaTree repeated = part.children().get(0);
                boolean whole = isElement(part, repeated);
                return list(repeated, whole ? repeated : repeated.children().get(0), whole, leaf);
            }
            text.beginStruct();
            int next = leaf;
            for (SchemaTree child : part.children()) {
                text.name(child.name());
                next = write(child, next);
            }
            text.endStruct();
            return next;
        }

        private int list(SchemaTree repeated, SchemaTree element, boolean whole, int leaf) throws IOException {
            LeafValues first = values.get(leaf);
            text.beginList();
            int next;
            if (first.definition() < repeated.definition()) {
                next = skip(repeated, leaf);
            } else {
                do {
                    next = whole ? content(element, leaf) : write(element, leaf);
                } while (!first.ended() && first.repetition() == repeated.repetition());
            }
            text.endList();
            return next;
        }

        /** Skips the entries of an absent part. */
        private int skip(SchemaTree part, int leaf) {
            if (part.isLeaf()) {
                values.get(leaf).skip();
                return leaf + 1;
            }
            int next = leaf;
            for (SchemaTree child : part.children()) {
                next = skip(child, next);
            }
            return next;
        }
    }
}

package io.millrace.dataset.parquet;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.Tables;
import io.millrace.dataset.parquet.ParquetColumn.Content;
import java.util.List;
import java.util.Optional;

/** The search for columns by name, and the check whether they can be read. */
final class ColumnFinder {
    private static final String TEXT_HINT = "; with as: text, structs and lists are read as JSON text";

    private ColumnFinder() {}

    /**
     * Returns the column with the given name. The name {@code a.b} means column b within group a, or within the elements of list a,
     * unless a column is named "a.b".
     *
     * @throws DatasetException when there is no such column, or its type is not supported
     */
    static ParquetColumn find(String file, List<SchemaTree> schema, String name) throws DatasetException {
        SchemaTree found = tree(file, schema, name);
        // Hugging Face stores an image as a group of two columns: its bytes and its original path. Lists are groups
        // with one child.
        SchemaTree leaf = found.child("bytes").filter(SchemaTree::isLeaf).orElse(found);
        while (leaf.children().size() == 1) {
            leaf = leaf.children().get(0);
        }
        if (!leaf.isLeaf()) {
            throw several(file, schema, name, found, leaf);
        }
        SchemaTree column = leaf;
        Content content = LeafTypes.content(leaf.element())
                .filter(c -> c.dtype() != null || column.repetition() == 0)
                .orElseThrow(() -> new DatasetException(file + ": column '" + name + "' is of the type "
                        + column.describe() + ", which is not supported"
                        + hint(found)));
        return column(column, content, false);
    }

    /** Returns a column that holds values. */
    static ParquetColumn column(SchemaTree leaf, Content content, boolean nested) {
        return new ParquetColumn(
                leaf.path(),
                leaf.element().getType(),
                LeafTypes.width(leaf.element()),
                leaf.repetition(),
                leaf.definition(),
                leaf.listLevel(),
                content,
                nested);
    }

    /**
     * Returns the column or the group of columns with the given name, as {@link #find} does.
     *
     * @throws DatasetException when there is no such column
     */
    static SchemaTree tree(String file, List<SchemaTree> schema, String name) throws DatasetException {
        SchemaTree found = descend(schema, name)
                .orElseThrow(() -> Tables.noColumn(file, name, schema.stream().map(SchemaTree::name)));
        if (schema.stream().filter(column -> column.name().equals(name)).count() > 1) {
            throw new DatasetException(file + " has several columns '" + name + "', expected one");
        }
        return found;
    }

    /** Returns the exception for a group of columns. It names one of the columns that can be read. */
    private static DatasetException several(
            String file, List<SchemaTree> schema, String name, SchemaTree found, SchemaTree group) {
        for (SchemaTree child : group.children()) {
            String within = name + "." + child.name();
            try {
                find(file, schema, within);
                return new DatasetException(
                        file + ": column '" + name + "' consists of several columns: name one of them, for example '"
                                + within + "'" + hint(found));
            } catch (DatasetException e) {
                // This column is no example.
            }
        }
        return new DatasetException(file + ": column '" + name + "' is of the type " + group.describe()
                + ", which is not supported" + hint(found));
    }

    private static String hint(SchemaTree column) {
        return NestedColumn.isText(column) ? TEXT_HINT : "";
    }

    private static Optional<SchemaTree> descend(List<SchemaTree> among, String name) {
        for (SchemaTree column : among) {
            if (column.name().equals(name)) {
                return Optional.of(column);
            }
        }
        int dot = name.indexOf('.');
        return dot < 0
                ? Optional.empty()
                : among.stream()
                        .filter(column -> column.name().equals(name.substring(0, dot)))
                        .findFirst()
                        .flatMap(column -> within(column.children(), name.substring(dot + 1)));
    }

    /** Returns a column within a group or a list. A list is a group with one child, whose child or children are the elements. */
    private static Optional<SchemaTree> within(List<SchemaTree> children, String name) {
        Optional<SchemaTree> found = descend(children, name);
        return found.isEmpty() && children.size() == 1 ? within(children.get(0).children(), name) : found;
    }
}

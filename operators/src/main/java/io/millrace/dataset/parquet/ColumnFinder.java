package io.millrace.dataset.parquet;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.parquet.ParquetColumn.Content;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/** The search for columns by name, and the check whether they can be read. */
final class ColumnFinder {
    private ColumnFinder() {}

    /**
     * Returns the column with the given name. The name {@code a.b} means column b within group a, unless a column is
     * named "a.b".
     *
     * @throws DatasetException when there is no such column, or its type is not supported
     */
    static ParquetColumn find(String file, List<SchemaTree> schema, String name) throws DatasetException {
        SchemaTree found = descend(schema, name)
                .orElseThrow(() -> new DatasetException(file + " has no column '" + name + "'; it has "
                        + schema.stream().map(SchemaTree::name).collect(Collectors.joining(", "))));
        // Hugging Face stores an image as a group of two columns: its bytes and its original path. Lists are groups
        // with one child.
        SchemaTree leaf = found.child("bytes").filter(SchemaTree::isLeaf).orElse(found);
        while (leaf.children().size() == 1) {
            leaf = leaf.children().get(0);
        }
        if (!leaf.isLeaf()) {
            throw new DatasetException(
                    file + ": column '" + name + "' consists of several columns: name one of them, for example '" + name
                            + "." + leaf.children().get(0).name() + "'");
        }
        SchemaTree column = leaf;
        Content content = LeafTypes.content(leaf.element())
                .filter(c -> c.dtype() != null || column.repetition() == 0)
                .orElseThrow(() -> new DatasetException(file + ": column '" + name + "' is of the type "
                        + column.describe() + ", which is not supported"));
        return column(file, name, leaf, content);
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
                        .flatMap(column -> descend(column.children(), name.substring(dot + 1)));
    }

    private static ParquetColumn column(String file, String name, SchemaTree leaf, Content content)
            throws DatasetException {
        try {
            PrimitiveTypeName stored = PrimitiveTypeName.valueOf(leaf.element()
                    .getType()
                    .name()
                    .replace("BYTE_ARRAY", "BINARY")
                    .replace("FIXED_LEN_BINARY", "FIXED_LEN_BYTE_ARRAY"));
            var builder = Types.primitive(
                    stored,
                    Repetition.valueOf(leaf.element().getRepetition_type().name()));
            PrimitiveType type = stored == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
                    ? builder.length(leaf.element().getType_length()).named(leaf.name())
                    : builder.named(leaf.name());
            return new ParquetColumn(
                    new ColumnDescriptor(
                            leaf.path().toArray(String[]::new), type, leaf.repetition(), leaf.definition()),
                    content,
                    leaf.listLevel());
        } catch (RuntimeException e) {
            throw new DatasetException(
                    file + ": the schema's entry for column '" + name + "' is damaged: " + e.getMessage(), e);
        }
    }
}

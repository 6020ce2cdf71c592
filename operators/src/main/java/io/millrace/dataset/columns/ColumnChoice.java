package io.millrace.dataset.columns;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.Table.Column;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The choice of columns for a pipeline file that names none: the columns {@code image} and {@code label}, or otherwise
 * the only column that holds encoded images and the only column whose numbers have names.
 */
final class ColumnChoice {
    private ColumnChoice() {}

    /**
     * Returns the columns of a table that are read by default.
     *
     * @throws DatasetException when no image column can be chosen; the message lists the columns of the table
     */
    static List<FieldSource> defaults(Table table) throws DatasetException {
        String image = find(table.columns(), Sample.IMAGE, Column::picture)
                .orElseThrow(
                        () -> new DatasetException(table.name() + " has no column 'image', and not exactly one column"
                                + " holds encoded images: name the columns to read with the key fields; its columns are "
                                + describe(table.columns())));
        List<FieldSource> sources = new ArrayList<>();
        sources.add(new FieldSource(Sample.IMAGE, image, As.AUTO));
        find(table.columns(), FieldSource.LABEL, column -> !column.classes().isEmpty())
                .ifPresent(label -> sources.add(new FieldSource(FieldSource.LABEL, label, As.AUTO)));
        return sources;
    }

    private static Optional<String> find(List<Column> columns, String name, Predicate<Column> likely) {
        if (columns.stream().anyMatch(column -> column.name().equals(name))) {
            return Optional.of(name);
        }
        List<Column> found = columns.stream().filter(likely).toList();
        return found.size() == 1 ? Optional.of(found.get(0).name()) : Optional.empty();
    }

    /** Returns the columns with their types, for messages. */
    static String describe(List<Column> columns) {
        return columns.stream()
                .limit(30)
                .map(column -> column.name() + " (" + column.type() + ")")
                .collect(Collectors.joining(", "));
    }
}

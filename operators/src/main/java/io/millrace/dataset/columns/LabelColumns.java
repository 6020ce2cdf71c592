package io.millrace.dataset.columns;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.Table.Column;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.LabelCandidates.Kind;
import io.millrace.sample.DType;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The search for the columns of a table that could be labels: class numbers with names, whole numbers and text, as the first row has
 * them.
 *
 * <p>Tested by {@code ParquetDatasetTest} and {@code ArrowDatasetTest}.
 */
final class LabelColumns {
    /** The largest number of columns whose first value is read. */
    private static final int MOST_COLUMNS = 50;

    private LabelColumns() {}

    static LabelCandidates of(Table table) throws IOException {
        LabelCandidates candidates = new LabelCandidates();
        for (Column column : table.columns().stream().limit(MOST_COLUMNS).toList()) {
            Optional<Kind> kind = column.picture() ? Optional.empty() : kind(table, column);
            kind.ifPresent(found -> candidates.add(column.name(), found));
        }
        return candidates;
    }

    private static Optional<Kind> kind(Table table, Column column) throws IOException {
        if (!column.classes().isEmpty()) {
            return Optional.of(Kind.NAMED_CLASSES);
        }
        try {
            Table.Rows rows = table.select(List.of(column.name()), Set.of());
            if (table.rows() == 0 || rows.elementType(0).filter(DType::isFloat).isPresent()) {
                return Optional.empty();
            }
            StoredValue value = rows.value(0, 0);
            return switch (value.form()) {
                case NAME -> Optional.of(Kind.NAMED_CLASSES);
                case TEXT -> Optional.of(Kind.TEXT);
                case FIXED, LIST ->
                    value.shape().length == 0 && !value.dtype().isFloat()
                            ? Optional.of(Kind.WHOLE_NUMBER)
                            : Optional.empty();
                case BYTES -> Optional.empty();
            };
        } catch (BadSampleException | DatasetException e) {
            return Optional.empty(); // a column of another type, or without a first value, is not proposed
        }
    }
}

package io.millrace.dataset.csv;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.csv.CsvReader.MalformedCsvException;
import io.millrace.dataset.csv.CsvReader.Value;
import io.millrace.dataset.fields.DecimalText;
import io.millrace.sample.DType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The columns of a table of text that are read, one by one or several as a vector. Several threads may read.
 *
 * <p>Tested by {@code CsvDatasetTest}.
 */
final class CsvSelection implements Table.Rows {
    /** The values of a row. */
    private record Parsed(long row, List<Value> values) {}

    private final CsvTable table;

    /** The indexes of the columns of each field; the last one is -1 if they are a vector. */
    private final List<List<Integer>> chosen;

    /**
     * The latest row, because all fields of a sample are read one after another. Volatile, because several threads read. Each of
     * them may replace it.
     */
    private volatile Parsed latest = new Parsed(-1, List.of());

    CsvSelection(CsvTable table, List<List<Integer>> chosen) {
        this.table = table;
        this.chosen = chosen;
    }

    private List<Value> row(long row) throws IOException {
        Parsed known = latest;
        if (known.row() == row) {
            return known.values();
        }
        String text = table.row((int) row + 1);
        try {
            List<Value> values = table.rowValues(text);
            latest = new Parsed(row, values);
            return values;
        } catch (MalformedCsvException e) {
            BadSampleException bad = bad(row, String.valueOf(e.getMessage()));
            bad.initCause(e);
            throw bad;
        }
    }

    private BadSampleException bad(long row, String reason) {
        int index = (int) row + 1;
        return new BadSampleException(
                table.name(),
                table.index().start(index),
                "line " + table.index().line(index) + ": " + reason);
    }

    @Override
    public StoredValue value(int column, long row) throws IOException {
        List<Value> values = row(row);
        List<Integer> indexes = chosen.get(column);
        if (indexes.size() == 1) {
            return single(indexes.get(0), values, row);
        }
        int count = indexes.size() - 1;
        ByteBuffer numbers = ByteBuffer.allocate(count * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int index : indexes.subList(0, count)) {
            numbers.putDouble(real(index, values, row));
        }
        return StoredValue.fixed(DType.FLOAT64, new int[] {count}, numbers.array());
    }

    private StoredValue single(int index, List<Value> values, long row) throws IOException {
        CsvValues type = table.type(index);
        String text = values.get(index).text();
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return switch (type.type()) {
            case TEXT -> {
                boolean name = table.isLabel(index) && !type.names().isEmpty();
                byte[] utf8 = (name ? text.strip() : text).getBytes(StandardCharsets.UTF_8);
                if (name && type.isMissing(text.strip())) {
                    throw missing(index, row, "a label");
                }
                yield name ? StoredValue.text(utf8).as(StoredValue.Form.NAME) : StoredValue.text(utf8);
            }
            case WHOLE -> {
                String digits = text.strip();
                if (type.isMissing(digits)) {
                    throw missing(index, row, "a number");
                }
                yield StoredValue.fixed(
                        DType.INT64,
                        new int[0],
                        number.putLong(Long.parseLong(digits)).array());
            }
            case DECIMAL ->
                StoredValue.fixed(
                        DType.FLOAT64,
                        new int[0],
                        number.putDouble(real(index, values, row)).array());
            case TRUTH -> StoredValue.fixed(DType.BOOL, new int[0], new byte[] {(byte) real(index, values, row)});
        };
    }

    private double real(int index, List<Value> values, long row) throws BadSampleException {
        CsvValues type = table.type(index);
        String text = values.get(index).text().strip();
        if (type.isMissing(text)) {
            if (type.readsNan()) {
                return Double.NaN;
            }
            throw missing(index, row, "a number");
        }
        return type.type() == CsvValues.Type.TRUTH ? (text.equalsIgnoreCase("true") ? 1 : 0) : DecimalText.real(text);
    }

    private BadSampleException missing(int index, long row, String what) {
        return bad(
                row,
                "expected " + what + " in the column '" + table.header().names().get(index)
                        + "', found none; missing: nan reads missing numbers as NaN");
    }

    @Override
    public long offset(long row) {
        return table.index().start((int) row + 1);
    }

    @Override
    public Optional<DType> elementType(int column) {
        List<Integer> indexes = chosen.get(column);
        return indexes.size() > 1
                ? Optional.of(DType.FLOAT64)
                : switch (table.type(indexes.get(0)).type()) {
                    case WHOLE -> Optional.of(DType.INT64);
                    case DECIMAL -> Optional.of(DType.FLOAT64);
                    case TRUTH -> Optional.of(DType.BOOL);
                    case TEXT -> Optional.empty();
                };
    }

    @Override
    public List<String> dictionary(int column) {
        List<Integer> indexes = chosen.get(column);
        boolean names = indexes.size() == 1
                && table.isLabel(indexes.get(0))
                && table.type(indexes.get(0)).type() == CsvValues.Type.TEXT;
        return names ? List.copyOf(table.type(indexes.get(0)).names()) : List.of();
    }
}

package io.millrace.dataset.csv;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.csv.CsvReader.MalformedCsvException;
import io.millrace.dataset.csv.CsvReader.Value;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.file.HeapLimit;
import io.millrace.sample.DType;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * A file of values as a table. A scan when the file is opened finds the offset of each row and the type of each column. Rows are read
 * at random. A gzipped file is inflated to memory.
 *
 * <p>Tested by {@code CsvDatasetTest}.
 */
final class CsvTable implements Table {
    /** The column that holds all numbers of a row that no other field reads, as one vector. */
    static final String FEATURES = "features";

    /** The separator of the names of columns that together are one vector. */
    private static final String JOINT = ";";

    private final DataFile data;
    private final @Nullable RangedFile file;
    private final byte[] inflated;
    private CsvRows rows;
    private CsvHeader header = new CsvHeader(List.of());
    private char separator;
    private final List<CsvValues> columns = new ArrayList<>();
    private long ragged;
    private int firstRagged;

    /** The columns of all files, which decide the types. */
    private List<CsvValues> common = columns;

    private String label = "";

    @SuppressWarnings("NullAway.Init") // open() sets the rows
    private CsvTable(DataFile data, @Nullable RangedFile file, byte[] inflated) {
        this.data = data;
        this.file = file;
        this.inflated = inflated;
    }

    /**
     * Opens and scans a file.
     *
     * @param nan whether missing values are NaN
     * @throws DatasetException when the file is no table of values in UTF-8
     */
    static CsvTable open(DataFile data, boolean nan) throws IOException {
        byte[] inflated = CsvText.isGzip(data.name()) ? inflate(data) : new byte[0];
        RangedFile file = CsvText.isGzip(data.name()) ? null : data.open();
        CsvTable table = new CsvTable(data, file, inflated);
        try (InputStream in = file == null
                ? new ByteArrayInputStream(inflated)
                : data.storage().open(data.path())) {
            table.rows = CsvRows.scan(in, data.name(), (row, line) -> table.visit(row, line, nan));
        } catch (IOException | RuntimeException e) {
            table.close();
            throw e;
        }
        if (table.header.names().isEmpty()) {
            table.close();
            throw new DatasetException(
                    data.name() + ": expected a header with the names of the columns, found an empty file");
        }
        return table;
    }

    private static byte[] inflate(DataFile data) throws IOException {
        try (InputStream in =
                new GZIPInputStream(new BufferedInputStream(data.storage().open(data.path())))) {
            int most = (int) Math.min(Integer.MAX_VALUE - 8, HeapLimit.bytes());
            byte[] bytes = in.readNBytes(most);
            if (in.read() >= 0) {
                throw new DatasetException(data.name() + ": "
                        + HeapLimit.refusal("an unpacked file that is read to memory,", HeapLimit.bytes() + 1));
            }
            return bytes;
        } catch (ZipException | EOFException e) {
            throw new DatasetException(data.name() + " is no whole gzip file: " + e.getMessage(), e);
        }
    }

    /** Returns the text of bytes in UTF-8. */
    static String text(byte[] utf8, String file, int line) throws DatasetException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new DatasetException(file + ":" + line + ": expected text in UTF-8, found other bytes", e);
        }
    }

    private void visit(byte[] row, int line, boolean nan) throws IOException {
        String text = text(row, data.name(), line);
        if (header.names().isEmpty()) {
            separator = CsvHeader.separator(text);
            try {
                header = CsvHeader.of(values(text));
            } catch (MalformedCsvException e) {
                throw new DatasetException(data.name() + ":" + line + ": " + e.getMessage(), e);
            }
            if (!header.unclear().isEmpty()) {
                throw new DatasetException(data.name() + ":" + line
                        + ": expected a header with a name for each column, each once, found " + header.names());
            }
            header.names().forEach(name -> columns.add(new CsvValues(nan)));
            return;
        }
        try {
            List<Value> values = rowValues(text);
            for (int i = 0; i < values.size(); i++) {
                columns.get(i).add(values.get(i).text());
            }
        } catch (MalformedCsvException e) {
            firstRagged = ragged == 0 ? line : firstRagged;
            ragged++;
        }
    }

    private List<Value> values(String row) throws IOException {
        List<Value> values = new CsvReader(new StringReader(row), separator).next();
        return values == null ? List.of() : values;
    }

    /**
     * Returns the values of a row.
     *
     * @throws MalformedCsvException when it is malformed, or has another number of values than the header
     */
    private List<Value> rowValues(String row) throws IOException {
        List<Value> values = values(row);
        if (values.size() != header.names().size()) {
            throw new MalformedCsvException(
                    "expected " + header.names().size() + " values, as in the header, found " + values.size());
        }
        return values;
    }

    CsvHeader header() {
        return header;
    }

    /** Returns the columns' types, as the values of this file decide them. */
    List<CsvValues> types() {
        return columns;
    }

    /** Sets the types that the values of all files decide, and the name of the column with the label; empty if there is none. */
    void settle(List<CsvValues> all, String labelled) {
        common = all;
        label = labelled;
    }

    @Override
    public String name() {
        return data.name();
    }

    @Override
    public long rows() {
        return rows.size() - 1L;
    }

    @Override
    public List<Column> columns() {
        return IntStream.range(0, header.names().size())
                .mapToObj(i ->
                        new Column(header.names().get(i), common.get(i).type().words(), false, List.of()))
                .toList();
    }

    /** Returns a sentence on the rows of this file that are bad; empty if there are none. */
    Optional<String> problem() {
        return ragged == 0
                ? Optional.empty()
                : Optional.of(ragged + (ragged == 1 ? " row has" : " rows have") + " other than the " + columns.size()
                        + " values of the header, first in line " + firstRagged + " of " + data.name()
                        + ": these samples are bad");
    }

    /** Returns the names of the classes in a column of text, sorted; empty for other columns, and for too many names. */
    List<String> classes(String column) {
        int index = header.index(column);
        return index >= 0 && common.get(index).type() == CsvValues.Type.TEXT
                ? List.copyOf(common.get(index).names())
                : List.of();
    }

    /** Returns the columns of a vector: those that are named, or all of numbers that no other field reads. */
    List<String> joint(String column, List<String> others) {
        if (column.contains(JOINT) && header.index(column) < 0) {
            return Arrays.stream(column.split(JOINT, -1)).map(String::strip).toList();
        }
        if (!column.equals(FEATURES) || header.index(column) >= 0) {
            return List.of();
        }
        return header.names().stream()
                .filter(name -> !name.equals(label) && !others.contains(name))
                .filter(name -> common.get(header.index(name)).type() != CsvValues.Type.TEXT)
                .toList();
    }

    @Override
    public Rows select(List<String> selected) throws IOException {
        List<List<Integer>> chosen = new ArrayList<>();
        for (String column : selected) {
            List<String> joint = joint(column, selected);
            boolean vector = !joint.isEmpty();
            List<Integer> indexes = new ArrayList<>();
            for (String name : vector ? joint : List.of(column)) {
                int index = header.index(name);
                if (index < 0) {
                    throw new DatasetException(name() + " has no column '" + name + "', only " + header.names());
                }
                if (vector && common.get(index).type() == CsvValues.Type.TEXT) {
                    throw new DatasetException(name() + ": '" + name + "' is a column of text, which '" + column
                            + "' cannot hold: expected columns of numbers");
                }
                indexes.add(index);
            }
            if (vector) {
                indexes.add(-1);
            }
            chosen.add(indexes);
        }
        return new Selected(chosen);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** The values of a row. */
    private record Parsed(long row, List<Value> values) {}

    private final class Selected implements Rows {
        /** The indexes of the columns of each field; the last one is -1 if they are a vector. */
        private final List<List<Integer>> chosen;

        /**
         * The latest row, because all fields of a sample are read one after another. Volatile, because several threads read. Each of
         * them may replace it.
         */
        private volatile Parsed latest = new Parsed(-1, List.of());

        Selected(List<List<Integer>> chosen) {
            this.chosen = chosen;
        }

        private List<Value> row(long row) throws IOException {
            Parsed known = latest;
            if (known.row() == row) {
                return known.values();
            }
            int index = (int) row + 1;
            byte[] bytes = file == null
                    ? Arrays.copyOfRange(
                            inflated, (int) rows.start(index), (int) rows.start(index) + rows.length(index))
                    : file.read(rows.start(index), rows.length(index));
            String text = text(bytes, name(), rows.line(index));
            try {
                List<Value> values = rowValues(text);
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
            return new BadSampleException(name(), rows.start(index), "line " + rows.line(index) + ": " + reason);
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
            CsvValues type = common.get(index);
            String text = values.get(index).text();
            ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            return switch (type.type()) {
                case TEXT -> {
                    boolean name = header.names().get(index).equals(label)
                            && !type.names().isEmpty();
                    byte[] utf8 = (name ? text.strip() : text).getBytes(StandardCharsets.UTF_8);
                    if (name && type.isMissing(text.strip())) {
                        throw missing(index, row, "a label");
                    }
                    yield name ? StoredValue.text(utf8).as(StoredValue.Form.NAME) : StoredValue.text(utf8);
                }
                case WHOLE -> {
                    requireValue(index, values, row);
                    yield StoredValue.fixed(
                            DType.INT64,
                            new int[0],
                            number.putLong(Long.parseLong(text.strip())).array());
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
            CsvValues type = common.get(index);
            String text = values.get(index).text().strip();
            if (type.isMissing(text) && type.readsNan()) {
                return Double.NaN;
            }
            requireValue(index, values, row);
            return type.type() == CsvValues.Type.TRUTH
                    ? (text.equalsIgnoreCase("true") ? 1 : 0)
                    : CsvValues.number(text);
        }

        private void requireValue(int index, List<Value> values, long row) throws BadSampleException {
            if (common.get(index).isMissing(values.get(index).text().strip())) {
                throw missing(index, row, "a number");
            }
        }

        private BadSampleException missing(int index, long row, String what) {
            return bad(
                    row,
                    "expected " + what + " in the column '" + header.names().get(index)
                            + "', found none; missing: nan reads missing numbers as NaN");
        }

        @Override
        public long offset(long row) {
            return rows.start((int) row + 1);
        }

        @Override
        public Optional<DType> elementType(int column) {
            List<Integer> indexes = chosen.get(column);
            return indexes.size() > 1
                    ? Optional.of(DType.FLOAT64)
                    : switch (common.get(indexes.get(0)).type()) {
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
                    && header.names().get(indexes.get(0)).equals(label)
                    && common.get(indexes.get(0)).type() == CsvValues.Type.TEXT;
            return names ? List.copyOf(common.get(indexes.get(0)).names()) : List.of();
        }
    }
}

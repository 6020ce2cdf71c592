package io.millrace.dataset.csv;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.Table;
import io.millrace.dataset.csv.CsvReader.MalformedCsvException;
import io.millrace.dataset.csv.CsvReader.Value;
import io.millrace.dataset.fields.Utf8;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.shard.GzipMembers;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.file.HeapLimit;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
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
     * @param labels returns the columns that can be the label
     * @throws DatasetException when the file is no table of values in UTF-8
     */
    static CsvTable open(DataFile data, boolean nan, Function<CsvHeader, List<String>> labels) throws IOException {
        byte[] inflated = CsvText.isGzip(data.name()) ? inflate(data) : new byte[0];
        RangedFile file = CsvText.isGzip(data.name()) ? null : data.open();
        CsvTable table = new CsvTable(data, file, inflated);
        try (InputStream in = file == null
                ? new ByteArrayInputStream(inflated)
                : data.storage().open(data.path())) {
            table.rows = CsvRows.scan(in, data.name(), (row, line) -> table.visit(row, line, nan, labels));
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
                GzipMembers.of(new BufferedInputStream(data.storage().open(data.path())))) {
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
        String encoding = line == 1 ? Utf8.otherEncoding(utf8) : "";
        if (!encoding.isEmpty()) {
            throw new DatasetException(file + ":1: expected text in UTF-8, found " + encoding);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new DatasetException(file + ":" + line + ": expected text in UTF-8, found other bytes", e);
        }
    }

    private void visit(byte[] row, int line, boolean nan, Function<CsvHeader, List<String>> labels) throws IOException {
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
            List<String> named = labels.apply(header);
            header.names().forEach(name -> columns.add(new CsvValues(nan, named.contains(name))));
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
    List<Value> rowValues(String row) throws IOException {
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
        List<String> names = header.names();
        return IntStream.range(0, names.size())
                .filter(i -> common.get(i).type() != CsvValues.Type.TEXT)
                .mapToObj(names::get)
                .filter(name -> !name.equals(label) && !others.contains(name))
                .toList();
    }

    @Override
    public Rows select(List<String> selected, Set<Integer> texts) throws IOException {
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
        return new CsvSelection(this, chosen);
    }

    /** Returns the text of a row, the header being row 0. */
    String row(int index) throws IOException {
        byte[] bytes = file == null
                ? Arrays.copyOfRange(inflated, (int) rows.start(index), (int) rows.start(index) + rows.length(index))
                : file.read(rows.start(index), rows.length(index));
        return text(bytes, name(), rows.line(index));
    }

    CsvRows index() {
        return rows;
    }

    /** Returns the type of a column in all files. */
    CsvValues type(int column) {
        return common.get(column);
    }

    /** Returns whether a column holds the label. */
    boolean isLabel(int column) {
        return header.names().get(column).equals(label);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}

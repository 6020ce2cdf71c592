package io.millrace.dataset.columns;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.storage.Residence;
import io.millrace.dataset.types.Widening;
import io.millrace.lifecycle.Handles;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A dataset whose samples are the rows of several tables, one table after the other.
 *
 * <p>Tested by {@code ArrowDatasetTest} and {@code ParquetDatasetTest}.
 */
public final class TableDataset implements Dataset {
    private final List<Table> tables;
    private final List<Table.Rows> rows = new ArrayList<>();

    /** The index of the first row of each table, followed by the number of all rows. */
    private final long[] firsts;

    private final FieldSelection selection;
    private final List<FieldSource> fields;
    private final Optional<FieldSource> label;
    private final Labels labels;
    private final Map<String, Long> dictionary = new HashMap<>();
    private final OptionalLong storedBytes;
    private final Residence residence;

    private TableDataset(List<Table> tables, FieldSelection selection, OptionValues options, OptionalLong storedBytes)
            throws IOException {
        this.tables = tables;
        this.storedBytes = storedBytes;
        this.firsts = new long[tables.size() + 1];
        for (int i = 0; i < tables.size(); i++) {
            firsts[i + 1] = firsts[i] + tables.get(i).rows();
        }
        if (size() == 0) {
            throw new DatasetException(tables.get(0).name()
                    + (tables.size() == 1 ? " has no rows" : " and the files after it have no rows")
                    + "; expected at least one");
        }
        this.selection = selection;
        this.fields = selection.fields();
        this.label = selection.label();
        List<String> columns = new ArrayList<>();
        fields.forEach(source -> columns.add(source.from()));
        label.ifPresent(source -> columns.add(source.from()));
        Set<Integer> texts = IntStream.range(0, fields.size())
                .filter(i -> fields.get(i).as() == As.TEXT)
                .boxed()
                .collect(Collectors.toSet());
        for (Table table : tables) {
            rows.add(table.select(columns, texts));
        }
        this.residence = new Residence(() -> rows.stream().allMatch(Table.Rows::resident));
        this.labels = Labels.of(options.find(Labels.CLASSES).orElse(names()));
        for (int i = 0; i < labels.classes().size(); i++) {
            dictionary.putIfAbsent(labels.classes().get(i), (long) i);
        }
    }

    /**
     * Takes ownership of {@code tables} and returns a dataset of their rows. Closes the tables when it fails.
     *
     * @param tables the tables, at least one
     * @param options the values of {@link FieldSources#FIELDS} and {@link Labels#CLASSES}
     * @param storedBytes the size of all tables in bytes, where it is known
     * @throws DatasetException when a column does not exist, or class names differ from file to file
     */
    public static Dataset of(List<? extends Table> tables, OptionValues options, OptionalLong storedBytes)
            throws IOException {
        return of(
                tables,
                table -> FieldSelection.of(
                        options,
                        options.find(FieldSources.FIELDS).isPresent() ? List.of() : ColumnChoice.defaults(table)),
                options,
                storedBytes);
    }

    /** A function that chooses the columns to read. Its argument is the first table. */
    @FunctionalInterface
    public interface Choice {
        FieldSelection of(Table first) throws IOException;
    }

    /**
     * Takes ownership of {@code tables} and returns a dataset of the columns that the format chooses. Closes the tables
     * when it fails.
     */
    public static Dataset of(
            List<? extends Table> tables, Choice choice, OptionValues options, OptionalLong storedBytes)
            throws IOException {
        List<Table> owned = List.copyOf(tables);
        try {
            return new TableDataset(owned, choice.of(owned.get(0)), options, storedBytes);
        } catch (IOException | RuntimeException e) {
            Tables.closeAll(owned, e);
            throw e;
        }
    }

    /**
     * Returns the names of the classes in the files. These are the names of the label's numbers, or otherwise the names
     * in the label's dictionaries in order of appearance.
     */
    private List<String> names() throws IOException {
        if (label.isEmpty()) {
            return List.of();
        }
        String column = label.get().from();
        List<String> found = List.of();
        for (Table table : tables) {
            List<String> classes = table.columns().stream()
                    .filter(c -> c.name().equals(column))
                    .flatMap(c -> c.classes().stream())
                    .toList();
            if (!found.isEmpty() && !classes.isEmpty() && !found.equals(classes)) {
                throw new DatasetException("the names of the classes of '" + column + "' in " + table.name()
                        + " differ from those in the previous files: expected " + abbreviated(found) + ", found "
                        + abbreviated(classes));
            }
            found = found.isEmpty() ? classes : found;
        }
        if (!found.isEmpty()) {
            return found;
        }
        Map<String, Boolean> union = new LinkedHashMap<>();
        for (Table.Rows table : rows) {
            table.dictionary(fields.size()).forEach(name -> union.put(name, true));
        }
        return List.copyOf(union.keySet());
    }

    private static String abbreviated(List<String> names) {
        return names.size() <= 10 ? names.toString() : names.subList(0, 10) + " and " + (names.size() - 10) + " more";
    }

    @Override
    public long size() {
        return firsts[firsts.length - 1];
    }

    @Override
    public Sample read(long index) throws IOException {
        int table = tableOf(index);
        long row = index - firsts[table];
        Sample sample = new Sample(index, place(table, row).file(), label(table, row));
        for (int i = 0; i < fields.size(); i++) {
            put(sample, i, table, row);
        }
        return sample;
    }

    private void put(Sample sample, int column, int table, long row) throws IOException {
        FieldSource source = fields.get(column);
        sample.put(source.name(), value(table, column, row).field(source, place(table, row)));
    }

    /** Returns the columns of nested lists, and those whose type differs from file to file. */
    @Override
    public Optional<Dataset> undeclared() {
        List<Integer> undeclared = IntStream.range(0, fields.size())
                .filter(column -> !isDeclared(column))
                .boxed()
                .toList();
        return undeclared.isEmpty()
                ? Optional.empty()
                : Optional.of(new FewColumns(
                        this,
                        undeclared,
                        undeclared.stream().map(this::commonType).toList()));
    }

    @Override
    public Dataset only(String field) {
        List<Integer> column = IntStream.range(0, fields.size())
                .filter(i -> fields.get(i).name().equals(field))
                .boxed()
                .toList();
        return new FewColumns(
                this, column, column.stream().map(i -> Optional.<DType>empty()).toList());
    }

    private boolean isDeclared(int column) {
        long types = filled().map(table -> table.elementType(column)).distinct().count();
        return types <= 1 && filled().allMatch(table -> table.declaresShape(column));
    }

    /** Returns the type that suits the numbers of a column in all files; empty when one of them does not declare numbers. */
    private Optional<DType> commonType(int column) {
        List<Optional<DType>> types =
                filled().map(table -> table.elementType(column)).distinct().toList();
        boolean numbers =
                types.stream().allMatch(type -> type.filter(Widening::isNumber).isPresent());
        return numbers
                        && !fields.get(column)
                                .isConverted() // coordinates become float32 and masks bool, whatever is stored
                ? Optional.of(
                        Widening.common(types.stream().flatMap(Optional::stream).toList()))
                : Optional.empty();
    }

    private Stream<Table.Rows> filled() {
        return IntStream.range(0, rows.size())
                .filter(table -> tables.get(table).rows() > 0)
                .mapToObj(rows::get);
    }

    /** Reads some of the columns of a row. */
    Sample read(long index, List<Integer> columns) throws IOException {
        int table = tableOf(index);
        long row = index - firsts[table];
        Sample sample = new Sample(index, place(table, row).file(), Labels.NONE);
        for (int column : columns) {
            put(sample, column, table, row);
        }
        return sample;
    }

    /** Returns the name of a column's field. */
    String name(int column) {
        return fields.get(column).name();
    }

    private int tableOf(long index) {
        int found = Arrays.binarySearch(firsts, Objects.checkIndex(index, size()));
        int table = found >= 0 ? found : -found - 2;
        while (firsts[table + 1] == index) {
            table++; // skips tables without rows
        }
        return table;
    }

    private ValuePlace place(int table, long row) {
        String name = tables.get(table).name();
        return new ValuePlace(
                name.substring(name.lastIndexOf('/') + 1) + "#" + row,
                rows.get(table).offset(row));
    }

    /** Returns a value. The exception for a bad value names the row and the column. */
    private StoredValue value(int table, int column, long row) throws IOException {
        try {
            return rows.get(table).value(column, row);
        } catch (BadSampleException e) {
            String name = (column < fields.size() ? fields.get(column) : label.orElseThrow()).from();
            BadSampleException located = new BadSampleException(
                    place(table, row).file(), e.offset(), "column '" + name + "': " + e.reason());
            located.initCause(e);
            throw located;
        }
    }

    @Override
    public long label(long index) throws IOException {
        int table = tableOf(index);
        return label(table, index - firsts[table]);
    }

    private long label(int table, long row) throws IOException {
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        StoredValue value = value(table, fields.size(), row);
        ValuePlace place = place(table, row);
        return switch (value.form()) {
            case BYTES, TEXT -> labels.of(value.data(), place);
            case NAME -> {
                Long named = dictionary.get(new String(value.data(), StandardCharsets.UTF_8));
                if (named == null) {
                    throw place.badSample(
                            "expected the name of a class, found a name that the key classes does not list");
                }
                yield named;
            }
            case FIXED, LIST -> labels.of(value.dtype(), value.shape(), value.data(), place);
        };
    }

    @Override
    public OptionalLong storedBytes() {
        return storedBytes;
    }

    @Override
    public StoredLabels labels() throws IOException {
        return label.isPresent()
                ? StoredLabels.PRESENT
                : tables.get(0).labelCandidates().without(selection);
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    @Override
    public boolean resident() {
        return residence.isResident();
    }

    @Override
    public void close() throws IOException {
        Handles.closeAll(tables);
    }
}

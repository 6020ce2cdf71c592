package io.millrace.dataset.csv;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.columns.TableDataset;
import io.millrace.dataset.columns.Tables;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.SplitNames;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The format of tables in text: comma-separated values and their relatives.
 *
 * <p>Tested by {@code CsvDatasetTest}.
 */
public final class CsvFormat implements DatasetFormat {
    /** The treatment of missing values in columns of numbers. */
    public enum Missing {
        /** A sample without one of its numbers is bad. */
        ERROR,
        /** A missing number is NaN. */
        NAN
    }

    /** The option for missing values. */
    public static final Option<Missing> MISSING = Option.of(
                    "missing",
                    OptionType.choice(Missing.class),
                    "The treatment of missing values in columns of numbers. error: the sample is bad. nan: the value is NaN, and"
                            + " words such as NA, null and None, which pandas reads as missing, are missing, too.")
            .orElse(Missing.ERROR)
            .decides(Identity.BATCHES);

    private static final List<String> EXTENSIONS = List.of("csv", "tsv");
    private static final int MOST_COLUMNS_SHOWN = 12;

    @Override
    public String name() {
        return "csv";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("csv", "tsv", "table", "tabular", "pandas", "dataframe", "excel");
    }

    @Override
    public String help() {
        return "Tables of text with a header, separated by commas, semicolons or tabs, plain or .gz. The values of a column decide its"
                + " type: whole numbers, decimals, true and false, or text. By default the field features holds all columns of"
                + " numbers, and label the column label, target or class.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
    }

    @Override
    public boolean storesRows() {
        return true;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, FieldSources.FIELDS, Labels.CLASSES, MISSING);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        List<DataFile> files = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage);
        boolean nan = options.get(MISSING) == Missing.NAN;
        List<CsvTable> tables =
                Tables.open(files, file -> CsvTable.open(file, nan, header -> possibleLabels(header, options)));
        List<String> remarks = new ArrayList<>();
        Dataset dataset = TableDataset.of(
                tables,
                first -> {
                    FieldSelection selection = settle(tables, options);
                    remarks.addAll(remarks(tables, selection));
                    return selection;
                },
                options,
                Tables.bytes(files));
        SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files).ifPresent(remarks::add);
        return RemarkedDataset.of(dataset, remarks);
    }

    /** Returns the columns one of which {@link #settle} may choose as the label. */
    private static List<String> possibleLabels(CsvHeader header, OptionValues options) {
        return options.find(FieldSources.FIELDS).isPresent()
                ? FieldSelection.of(options, List.of()).label().map(FieldSource::from).stream()
                        .toList()
                : header.labels();
    }

    /** Gives all tables the types that their values decide together, and returns the fields to read. */
    private static FieldSelection settle(List<CsvTable> tables, OptionValues options) throws DatasetException {
        CsvTable first = tables.get(0);
        for (CsvTable table : tables) {
            if (!table.header().equals(first.header())) {
                throw new DatasetException(table.name() + ": expected the columns of " + first.name() + ", "
                        + first.header().names() + ", found " + table.header().names());
            }
        }
        List<CsvValues> all = new ArrayList<>(first.types());
        tables.subList(1, tables.size()).forEach(table -> {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).add(table.types().get(i));
            }
        });
        boolean chosen = options.find(FieldSources.FIELDS).isPresent();
        List<FieldSource> defaults = new ArrayList<>();
        if (!chosen) {
            first.settle(all, "");
            List<String> labels = first.header().labels().stream()
                    .filter(name -> all.get(first.header().index(name)).type() != CsvValues.Type.DECIMAL)
                    .toList();
            defaults.add(new FieldSource(CsvTable.FEATURES, CsvTable.FEATURES, As.AUTO));
            if (labels.size() == 1) {
                defaults.add(new FieldSource(FieldSource.LABEL, labels.get(0), As.AUTO));
            }
        }
        FieldSelection selection = FieldSelection.of(options, defaults);
        String label = selection.label().map(FieldSource::from).orElse("");
        tables.forEach(table -> table.settle(all, label));
        if (!chosen
                && tables.stream().anyMatch(table -> table.rows() > 0)
                && first.joint(CsvTable.FEATURES, List.of()).isEmpty()) {
            throw new DatasetException(
                    first.name() + " has no column of numbers besides its label: name the columns to read with"
                            + " the key fields, for example fields: {text: "
                            + first.header().names().get(0) + "}; its columns are "
                            + described(first));
        }
        return selection;
    }

    private static String described(CsvTable table) {
        return table.columns().stream()
                        .limit(MOST_COLUMNS_SHOWN)
                        .map(column -> column.name() + " (" + column.type() + ")")
                        .collect(Collectors.joining(", "))
                + (table.columns().size() > MOST_COLUMNS_SHOWN
                        ? " and " + (table.columns().size() - MOST_COLUMNS_SHOWN) + " more"
                        : "");
    }

    /** Returns the classes of a column of text, which are numbered in sorted order. */
    private static String classes(CsvTable table, String label) {
        List<String> names = table.classes(label);
        return names.isEmpty()
                ? ""
                : ", whose texts are " + names.size() + " classes in the order "
                        + names.stream().limit(MOST_COLUMNS_SHOWN).collect(Collectors.joining(", "))
                        + (names.size() > MOST_COLUMNS_SHOWN ? ", ..." : "");
    }

    private static List<String> remarks(List<CsvTable> tables, FieldSelection selection) {
        CsvTable first = tables.get(0);
        List<String> remarks = new ArrayList<>();
        remarks.add("the columns are " + described(first));
        for (FieldSource field : selection.fields()) {
            List<String> joint = first.joint(
                    field.from(),
                    selection.fields().stream().map(FieldSource::from).toList());
            if (!joint.isEmpty()) {
                remarks.add("'" + field.name() + "' is a vector of " + joint.size() + " columns: "
                        + joint.stream().limit(MOST_COLUMNS_SHOWN).collect(Collectors.joining(", "))
                        + (joint.size() > MOST_COLUMNS_SHOWN ? ", ..." : ""));
            }
        }
        selection
                .label()
                .ifPresent(label ->
                        remarks.add("the label is the column '" + label.from() + "'" + classes(first, label.from())));
        tables.stream().map(CsvTable::problem).flatMap(Optional::stream).forEach(remarks::add);
        return remarks;
    }
}

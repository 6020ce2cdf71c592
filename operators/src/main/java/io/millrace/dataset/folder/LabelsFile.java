package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.csv.CsvReader;
import io.millrace.dataset.csv.CsvReader.MalformedCsvException;
import io.millrace.dataset.csv.CsvReader.Value;
import io.millrace.dataset.csv.CsvText;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The reader of {@code labels.csv}. Below the header {@code file,label} the file has one line for each sample, in the
 * order of the samples' indexes. A file is a path below the folder. Values may be quoted as in RFC 4180. The labels are
 * either all whole numbers or all names of classes; a line with another label, or without one, is a bad sample. Class names are
 * sorted and numbered from 0. A file that is not listed is not a sample. Any other column is read only when a field uses it.
 */
final class LabelsFile {
    static final String NAME = "labels.csv";

    /** The largest number of characters of a message. */
    private static final int MOST_MESSAGE = 1000;

    /** The number of labels at the beginning that decide whether they are decimals. */
    private static final int DECIDING = 1000;

    private final Storage storage;
    private final FileList files = new FileList();
    private final FolderListings listings;
    private final FieldSelection selection;
    private final List<String> columnNames;
    private final Map<String, CsvColumn> columns = new LinkedHashMap<>();
    private List<String> header = List.of();

    private final List<String> first = new ArrayList<>();
    private final ListedLabels labels = new ListedLabels();
    private int line = 1;

    private LabelsFile(Storage storage, List<String> columnNames, FieldSelection selection) {
        this.storage = storage;
        this.columnNames = columnNames;
        this.selection = selection;
        this.listings = new FolderListings(storage);
    }

    /**
     * Returns whether the folder contains {@code labels.csv}. If it does, that file alone defines the samples, and
     * class folders are ignored.
     */
    static boolean isIn(Storage storage) throws IOException {
        return storage.kind(NAME) == Kind.FILE;
    }

    /**
     * Reads the file.
     *
     * @param columnNames the columns that fields use, apart from file and label
     * @throws DatasetException when the file has another form or lists a file that does not exist; the message names
     *     the line
     */
    static FolderDataset read(Storage storage, List<String> columnNames, FieldSelection selection) throws IOException {
        return new LabelsFile(storage, columnNames, selection).read();
    }

    private FolderDataset read() throws IOException {
        try (Reader text = CsvText.open(storage, NAME)) {
            CsvReader csv = new CsvReader(text);
            try {
                List<Value> names = csv.next();
                requireHeader(names == null ? List.of(new Value("", false)) : names);
                for (List<Value> record = csv.next(); record != null; record = csv.next()) {
                    line = csv.line();
                    if (record.size() > 1 || !record.get(0).stripped().isBlank()) {
                        add(record);
                    }
                }
            } catch (MalformedCsvException e) {
                line = csv.line();
                throw problem(String.valueOf(e.getMessage()));
            }
        } catch (CharacterCodingException e) {
            throw new DatasetException(storage.display(NAME) + ": expected text in UTF-8, found other bytes", e);
        }
        if (selection.label().isPresent() && files.size() > 0) {
            DecimalLabels.requireNone(storage.display(NAME), header.get(1), first, files.path(0));
        }
        listings.requireNoLinks();
        if (files.size() == 0) {
            throw new DatasetException(storage.display(NAME) + ": expected files below the header, found none");
        }
        return new FolderDataset(storage, files.compact(), labels.finish(files), selection, columns, List.of());
    }

    private void requireHeader(List<Value> record) throws DatasetException {
        header = record.stream().map(Value::stripped).toList();
        if (header.size() < 2 || !header.subList(0, 2).equals(List.of(FolderDataset.FILE, "label"))) {
            throw problem("expected the header file,label, found '"
                    + CsvReader.shown(record.stream().map(Value::text).collect(Collectors.joining(","))) + "'");
        }
        for (String column : columnNames) {
            if (!header.contains(column)) {
                throw problem(
                        "expected a column '" + column + "', which the option fields names, found only " + header);
            }
            boolean picture = FolderDataset.isPicture(selection, column);
            columns.put(column, new CsvColumn(header.indexOf(column), picture));
        }
    }

    private void add(List<Value> record) throws IOException {
        if (record.size() != header.size()) {
            throw problem("expected " + String.join(",", header) + ", found " + record.size()
                    + " fields; quote a name that has a comma");
        }
        String file = FolderListings.withoutDot(record.get(0).stripped());
        requireFile(file);
        String text = record.get(1).stripped();
        if (first.size() < DECIDING) {
            first.add(text);
        }
        Optional<String> badLabel = labels.problem(text);
        if (badLabel.isPresent()) {
            files.addWithoutLabel(file, NAME + ":" + line + ": " + CsvReader.beginning(badLabel.get(), MOST_MESSAGE));
        } else {
            files.add(file, labels.label(text));
        }
        for (CsvColumn column : columns.values()) {
            column.add(record.get(column.index()).text(), listings);
        }
    }

    private void requireFile(String file) throws IOException {
        if (!SampleFile.isBelow(file)) {
            throw problem("expected a path below the folder, such as cat/1.jpg, found '" + file + "'");
        }
        if (listings.contains(file)) {
            listings.addIfLink(file);
        } else {
            throw problem("no such file: " + storage.display(file)
                    + (file.contains("\\") ? "; write / between the names of folders" : ""));
        }
    }

    private DatasetException problem(String what) {
        return new DatasetException(
                storage.display(NAME) + ":" + line + ": " + CsvReader.beginning(what, MOST_MESSAGE));
    }
}

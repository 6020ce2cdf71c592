package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.csv.CsvHeader;
import io.millrace.dataset.csv.CsvReader;
import io.millrace.dataset.csv.CsvReader.MalformedCsvException;
import io.millrace.dataset.csv.CsvReader.Value;
import io.millrace.dataset.csv.CsvText;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.files.MissingPath;
import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/**
 * The reader of the file that the option {@code labels} names. Each row is a sample: a file below the folder, its label, and the
 * columns that fields use. What the rows and the folder do not share is counted, and named to the user.
 */
final class ListedFiles {
    /** The number of rows at the beginning that decide which column has the files. */
    private static final int DECIDING = 100;

    private static final int MOST_CLASSES_SHOWN = 5;

    private static final Pattern ONE = Pattern.compile("1(\\.0*)?");
    private static final Pattern ZERO = Pattern.compile("0(\\.0*)?");

    private final Storage folder;
    private final CsvLabels option;
    private final Storage csv;
    private final FieldSelection selection;
    private final List<String> columnNames;
    private final FolderListings listings;
    private final FileList files = new FileList();
    private final ListedLabels labels = new ListedLabels();
    private final Map<String, CsvColumn> columns = new LinkedHashMap<>();

    /** The files that no row has named yet, by their folders. */
    private final Map<String, Set<String>> unnamed = new TreeMap<>();

    private final RowProblems missing = new RowProblems();
    private final RowProblems repeated = new RowProblems();
    private CsvHeader header = new CsvHeader(List.of());
    private boolean decided;
    private List<Integer> labelColumns = List.of();
    private int fileColumn;
    private String suffix = "";

    private ListedFiles(
            Storage folder, CsvLabels option, Storage csv, List<String> columnNames, FieldSelection selection) {
        this.folder = folder;
        this.option = option;
        this.csv = csv;
        this.columnNames = columnNames;
        this.selection = selection;
        this.listings = new FolderListings(folder);
    }

    /**
     * Reads the file.
     *
     * @param columnNames the columns that fields use, apart from file and label
     * @throws DatasetException when the file has another form, its columns are unclear, or no row names a file of the folder; the
     *     message has the line to add to the pipeline file
     */
    static FolderDataset read(
            Storage folder,
            CsvLabels option,
            StorageOptions storage,
            List<String> columnNames,
            FieldSelection selection)
            throws IOException {
        Storage csv = Storage.of(option.path(), storage);
        if (csv.kind("") != Kind.FILE) {
            boolean inFolder = folder.kind("") == Kind.DIRECTORY
                    && SampleFile.isBelow(option.path())
                    && folder.kind(option.path()) == Kind.FILE;
            throw new DatasetException("dataset.labels: expected a file of values with a header, found no file "
                    + csv.display("")
                    + (inFolder ? "; the folder has one: set dataset.labels: " + folder.display(option.path()) : ""));
        }
        if (folder.kind("") != Kind.DIRECTORY) {
            throw folder.kind("") == Kind.MISSING
                    ? MissingPath.folder(folder)
                    : new DatasetException(folder.display("")
                            + " is a file; expected the folder of the files that dataset.labels lists");
        }
        return new ListedFiles(folder, option, csv, columnNames, selection).read();
    }

    private FolderDataset read() throws IOException {
        try (BufferedReader text = CsvText.open(csv, "")) {
            CsvReader reader = new CsvReader(text, CsvText.separator(text));
            try {
                readRows(reader);
            } catch (MalformedCsvException e) {
                throw problem(reader.line(), String.valueOf(e.getMessage()));
            }
        } catch (CharacterCodingException e) {
            throw new DatasetException(csv.display("") + ": expected text in UTF-8, found other bytes", e);
        } catch (ZipException | EOFException e) {
            throw new DatasetException(csv.display("") + " is no whole gzip file: " + e.getMessage(), e);
        }
        listings.requireNoLinks();
        if (repeated.count() > 0) {
            throw new DatasetException(csv.display("") + ": expected one row for each file, found "
                    + repeated.describe("row that names a file again", "rows that name a file again")
                    + ". Leave only one of them, for example with pandas' drop_duplicates");
        }
        if (missing.count() == files.size()) {
            throw new DatasetException(csv.display("") + ": no row names a file in " + folder.display("")
                    + ", for example "
                    + missing.example() + ". Set the column of the files and what their names lack: labels: {path: "
                    + option.path() + ", file: " + header.names().get(fileColumn) + ", suffix: .jpg}");
        }
        List<String> classes =
                selection.label().isEmpty() ? List.of() : option.oneHot() ? option.label() : labels.finish(files);
        boolean ofSounds = !selection.chosen() && FolderScan.isSound(files.path(0));
        return new FolderDataset(
                folder,
                files.compact(),
                classes,
                ofSounds ? FolderFormat.SOUNDS : selection,
                columns,
                remarks(classes));
    }

    private record Row(int line, List<String> values) {}

    private void readRows(CsvReader reader) throws IOException {
        List<Value> first = reader.next();
        header = CsvHeader.of(first == null ? List.of() : first);
        if (header.names().isEmpty() || !header.unclear().isEmpty()) {
            throw problem(1, "expected a header with a name for each column, each once, found " + header.names());
        }
        List<Row> deciding = new ArrayList<>();
        for (List<Value> record = reader.next(); record != null; record = reader.next()) {
            if (record.size() == 1 && record.get(0).stripped().isBlank()) {
                continue;
            }
            if (record.size() != header.names().size()) {
                throw problem(
                        reader.line(),
                        "expected " + header.names().size() + " values, as in the header, found " + record.size()
                                + "; quote a value that has a separator");
            }
            Row row =
                    new Row(reader.line(), record.stream().map(Value::stripped).toList());
            if (decided) {
                add(row);
                continue;
            }
            deciding.add(row);
            if (deciding.size() == DECIDING) {
                decide(deciding);
            }
        }
        if (!decided && !deciding.isEmpty()) {
            decide(deciding);
        }
        if (files.size() == 0) {
            throw problem(1, "expected rows below the header, found none");
        }
    }

    /** Chooses the columns by the first rows, and adds these rows. */
    private void decide(List<Row> deciding) throws IOException {
        decided = true;
        List<List<String>> rows = deciding.stream().map(Row::values).toList();
        ListedColumns chosen = ListedColumns.choose(csv.display(""), header, option, rows, listings, selection);
        fileColumn = chosen.file();
        suffix = chosen.suffix();
        labelColumns = chosen.labels();
        for (String column : columnNames) {
            if (header.index(column) < 0) {
                throw problem(
                        1,
                        "expected a column '" + column + "', which the option fields names, found only "
                                + header.names());
            }
            boolean picture = FolderDataset.isPicture(selection, column);
            columns.put(column, new CsvColumn(header.index(column), picture));
        }
        for (Row row : deciding) {
            add(row);
        }
    }

    private void add(Row row) throws IOException {
        String file = FolderListings.withoutDot(row.values().get(fileColumn)) + suffix;
        if (!SampleFile.isBelow(file)) {
            throw problem(
                    row.line(),
                    "expected a path below the folder, such as cat/1.jpg, found '" + CsvReader.shown(file) + "'");
        }
        if (listings.contains(file)) {
            listings.addIfLink(file);
            String in = FolderListings.folder(file);
            Set<String> left = unnamed.get(in);
            if (left == null) {
                left = new HashSet<>(listings.in(in));
                unnamed.put(in, left);
            }
            if (!left.remove(FolderListings.name(file))) {
                repeated.add("'" + file + "' in line " + row.line());
            }
            addLabelled(file, row);
        } else {
            missing.add("'" + file + "' in line " + row.line());
            files.addMissing(file, place(row) + "no such file in " + folder.display(""));
        }
        for (CsvColumn column : columns.values()) {
            column.add(row.values().get(column.index()), listings);
        }
    }

    /** Adds a file that exists, which is a bad sample if its row has no label. */
    private void addLabelled(String file, Row row) {
        if (option.oneHot()) {
            int hot = hot(row.values());
            if (hot < 0) {
                files.addWithoutLabel(
                        file, place(row) + "expected a 1 in one of the columns of the classes and a 0 in the others");
            } else {
                files.add(file, hot);
            }
            return;
        }
        String text = labelColumns.isEmpty() ? "0" : row.values().get(labelColumns.get(0));
        Optional<String> problem = labels.problem(text);
        if (problem.isPresent()) {
            files.addWithoutLabel(file, place(row) + problem.get());
        } else {
            files.add(file, labels.label(text));
        }
    }

    private String place(Row row) {
        return FolderListings.name(csv.display("")) + ":" + row.line() + ": ";
    }

    /** Returns the only class whose column is 1, or -1. */
    private int hot(List<String> values) {
        int found = -1;
        for (int label = 0; label < labelColumns.size(); label++) {
            String value = values.get(labelColumns.get(label));
            boolean one = isOne(value);
            if ((!one && !isZero(value)) || (one && found >= 0)) {
                return -1;
            }
            found = one ? label : found;
        }
        return found;
    }

    /** Returns whether a column of a class says that a file belongs to it. */
    static boolean isOne(String value) {
        return ONE.matcher(value).matches();
    }

    /** Returns whether a column of a class says that a file does not belong to it. */
    static boolean isZero(String value) {
        return ZERO.matcher(value).matches();
    }

    private List<String> remarks(List<String> classes) throws IOException {
        List<String> remarks = new ArrayList<>();
        remarks.add("the files are the column '" + header.names().get(fileColumn) + "' of " + csv.display("")
                + (suffix.isEmpty() ? "" : " with " + suffix + " behind it")
                + (labelColumns.size() == 1
                        ? ", the labels the column '" + header.names().get(labelColumns.get(0)) + "'"
                        : ""));
        if (!classes.isEmpty() && !labels.areNumbers() && selection.label().isPresent()) {
            remarks.add("the labels are names of " + classes.size() + " classes, in the order "
                    + String.join(", ", classes.subList(0, Math.min(classes.size(), MOST_CLASSES_SHOWN)))
                    + (classes.size() > MOST_CLASSES_SHOWN ? ", ..." : ""));
        }
        if (missing.count() > 0) {
            remarks.add(missing.describe("row names a file that does not exist", "rows name files that do not exist")
                    + ": these samples are bad");
        }
        RowProblems without = new RowProblems();
        unnamed.forEach((in, names) -> names.stream()
                .filter(FolderScan::isSample)
                .sorted()
                .forEach(name -> without.add(in.isEmpty() ? name : in + "/" + name)));
        if (without.count() > 0) {
            remarks.add(without.describe(
                    "file was not read, because no row names it", "files were not read, because no row names them"));
        }
        return remarks;
    }

    private DatasetException problem(int line, String what) {
        return new DatasetException(csv.display("") + ":" + line + ": " + what);
    }

    /** A count of places and one example. */
    private static final class RowProblems {
        private long count;
        private String example = "";

        void add(String place) {
            example = count == 0 ? place : example;
            count++;
        }

        long count() {
            return count;
        }

        String example() {
            return example;
        }

        String describe(String one, String several) {
            return String.format(Locale.ROOT, "%,d %s (for example %s)", count, count == 1 ? one : several, example);
        }
    }
}

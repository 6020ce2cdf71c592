package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.DecimalText;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.files.NameOrder;
import io.millrace.dataset.folder.CsvReader.MalformedCsvException;
import io.millrace.dataset.folder.CsvReader.Value;
import io.millrace.dataset.storage.LinksOut;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reader of {@code labels.csv}. Below the header {@code file,label} the file has one line for each sample, in the
 * order of the samples' indexes. A file is a path below the folder. Values may be quoted as in RFC 4180. The labels are
 * either all whole numbers or all names of classes; a line with another label, or without one, is a bad sample. Class names are
 * sorted and numbered from 0. A file that is not listed is not a sample. Any other column is read only when a field uses it.
 */
final class LabelsFile {
    static final String NAME = "labels.csv";

    /** The largest number of classes with numbers as names. Larger labels are targets and not classes. */
    private static final int MAX_NUMBERED_CLASSES = 1 << 16;

    /** The largest numbers of characters of a value in a message, and of a message. */
    private static final int MOST_SHOWN = 40;

    private static final int MOST_MESSAGE = 1000;

    private static final Set<String> INVALID_NAMES = Set.of("", ".", "..");

    private final Storage storage;
    private final FileList files = new FileList();
    private final Map<String, Set<String>> filesByFolder = new HashMap<>();

    /** The links in these folders that lead out of the dataset, each with its target, until a line names them. */
    private final Map<String, Path> linksByPath = new HashMap<>();

    private final LinksOut links;
    private final FieldSelection selection;
    private final List<String> columnNames;
    private final Map<String, CsvColumn> columns = new LinkedHashMap<>();

    /** The columns whose values are files that may be links. Only folders on this machine have links. */
    private final Set<CsvColumn> linked = new HashSet<>();

    private List<String> header = List.of();

    /**
     * The classes, each with its number in the order of first occurrence. {@link #files} stores these numbers as labels
     * until all classes are known.
     */
    private final Map<String, Integer> classes = new TreeMap<>(NameOrder.BY_CODE_POINT);

    /** Whether the labels are numbers; null before the first label. */
    private @Nullable Boolean numbered;

    private int highest;
    private int line = 1;

    private LabelsFile(Storage storage, List<String> columnNames, FieldSelection selection) {
        this.storage = storage;
        this.columnNames = columnNames;
        this.selection = selection;
        this.links = new LinksOut(storage);
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
        try (Reader text = new InputStreamReader(storage.open(NAME), StandardCharsets.UTF_8.newDecoder())) {
            CsvReader csv = new CsvReader(text);
            try {
                List<Value> first = csv.next();
                requireHeader(first == null ? List.of(new Value("", false)) : first);
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
        links.requireNone();
        if (files.size() == 0) {
            throw new DatasetException(storage.display(NAME) + ": expected files below the header, found none");
        }
        return new FolderDataset(
                storage,
                files.compact(),
                isNumbered() ? numberedClasses() : namedClasses(),
                selection,
                columns,
                List.of());
    }

    private void requireHeader(List<Value> record) throws DatasetException {
        header = record.stream().map(Value::stripped).toList();
        if (header.size() < 2 || !header.subList(0, 2).equals(List.of(FolderDataset.FILE, "label"))) {
            throw problem("expected the header file,label, found '"
                    + shown(record.stream().map(Value::text).collect(Collectors.joining(","))) + "'");
        }
        for (String column : columnNames) {
            if (!header.contains(column)) {
                throw problem(
                        "expected a column '" + column + "', which the option fields names, found only " + header);
            }
            CsvColumn values = new CsvColumn(header.indexOf(column));
            columns.put(column, values);
            if (isPicture(column) && storage.local("").isPresent()) {
                linked.add(values);
            }
        }
    }

    private void add(List<Value> record) throws IOException {
        if (record.size() != header.size()) {
            throw problem("expected " + String.join(",", header) + ", found " + record.size()
                    + " fields; quote a name that has a comma");
        }
        String file = withoutDot(record.get(0).stripped());
        requireFile(file);
        String text = record.get(1).stripped();
        Optional<String> badLabel = problemOfLabel(text);
        if (badLabel.isPresent()) {
            files.addWithoutLabel(file, NAME + ":" + line + ": " + beginning(badLabel.get(), MOST_MESSAGE));
        } else {
            files.add(file, label(text));
        }
        for (CsvColumn column : columns.values()) {
            String value = record.get(column.index()).text();
            column.add(value);
            if (linked.contains(column)) {
                addLink(value.strip());
            }
        }
    }

    private boolean isPicture(String column) {
        return selection.fields().stream()
                .anyMatch(field -> field.from().equals(column) && FolderDataset.isPicture(field));
    }

    /**
     * Adds the file of a picture if it is a link that leads out of the folder. Whether the file exists is not checked before
     * its sample is read.
     */
    private void addLink(String file) throws IOException {
        if (isBelow(file)) {
            listed(file);
            addIfLink(file);
        }
    }

    private void addIfLink(String file) {
        Path target = linksByPath.remove(file);
        if (target != null) {
            links.add(file, target);
        }
    }

    private static boolean isBelow(String file) {
        return Stream.of(file.split("/", -1)).noneMatch(INVALID_NAMES::contains);
    }

    /** Returns the path without {@code ./} before it, which stands for the folder itself. */
    private static String withoutDot(String file) {
        String path = file;
        while (path.startsWith("./")) {
            path = path.substring(2);
        }
        return path;
    }

    private void requireFile(String file) throws IOException {
        if (!isBelow(file)) {
            throw problem("expected a path below the folder, such as cat/1.jpg, found '" + file + "'");
        }
        if (listed(file).contains(file.substring(file.lastIndexOf('/') + 1))) {
            addIfLink(file);
        } else {
            throw problem("no such file: " + storage.display(file)
                    + (file.contains("\\") ? "; write / between the names of folders" : ""));
        }
    }

    /** Returns the names of the files in a file's folder. */
    private Set<String> listed(String file) throws IOException {
        String folder = file.substring(0, Math.max(file.lastIndexOf('/'), 0));
        Set<String> listed = filesByFolder.get(folder);
        if (listed == null) {
            // Listing a folder once costs less than one request for each of its files, above all on remote storage.
            listed = filesIn(folder);
            filesByFolder.put(folder, listed);
        }
        return listed;
    }

    private Set<String> filesIn(String folder) throws IOException {
        if (storage.kind(folder) != Kind.DIRECTORY) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (Entry entry : FolderScan.list(storage, folder)) {
            if (entry.kind() == Kind.FILE) {
                names.add(entry.name());
                if (entry.outside() != null) {
                    linksByPath.put(folder.isEmpty() ? entry.name() : folder + "/" + entry.name(), entry.outside());
                }
            }
        }
        return names;
    }

    /** Returns the reason why the text is no label; empty when it is one. The first label decides between numbers and names. */
    private Optional<String> problemOfLabel(String text) {
        if (text.isEmpty()) {
            return Optional.of("expected a label, found none");
        }
        boolean number = DecimalText.isNumber(text);
        if (numbered == null) {
            numbered = number;
        }
        if (number != numbered) {
            return Optional.of("expected a " + (numbered ? "number" : "name")
                    + " as label, as in the lines before, found '" + shown(text) + "'");
        }
        return numbered ? problemOfNumber(text) : Optional.empty();
    }

    private static Optional<String> problemOfNumber(String text) {
        OptionalLong label = DecimalText.whole(text);
        if (label.isEmpty() && !DecimalText.isDigits(text)) {
            return Optional.of("expected a whole number as label, found " + shown(text));
        }
        return label.isEmpty() || label.getAsLong() < 0 || label.getAsLong() > Integer.MAX_VALUE
                ? Optional.of("expected a label from 0 to " + Integer.MAX_VALUE + ", found " + text)
                : Optional.empty();
    }

    /** Returns the label of a text without a problem. The labels of names are their order of first occurrence for now. */
    private int label(String text) {
        if (!isNumbered()) {
            classes.putIfAbsent(text, classes.size());
            return classes.getOrDefault(text, 0);
        }
        int label = (int) DecimalText.whole(text).orElseThrow();
        highest = Math.max(highest, label);
        return label;
    }

    private boolean isNumbered() {
        return Boolean.TRUE.equals(numbered);
    }

    private List<String> numberedClasses() {
        return highest < MAX_NUMBERED_CLASSES
                ? IntStream.rangeClosed(0, highest).mapToObj(Integer::toString).toList()
                : List.of();
    }

    private List<String> namedClasses() {
        int[] sorted = new int[classes.size()];
        int label = 0;
        for (int first : classes.values()) {
            sorted[first] = label++;
        }
        files.relabel(sorted);
        return List.copyOf(classes.keySet());
    }

    /** Returns the beginning of a text, which is enough to find it in the file. */
    static String shown(String text) {
        return beginning(text, MOST_SHOWN);
    }

    private static String beginning(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }

    private DatasetException problem(String what) {
        return new DatasetException(storage.display(NAME) + ":" + line + ": " + beginning(what, MOST_MESSAGE));
    }
}

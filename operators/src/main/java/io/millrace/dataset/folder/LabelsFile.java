package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The reader of {@code labels.csv}. Below the header {@code file,label} the file has one line for each sample, in the
 * order of the samples' indexes. A file is a path below the folder, and may be quoted as in RFC 4180. The labels are
 * either all whole numbers or all names of classes. Class names are sorted and numbered from 0. A file that is not
 * listed is not a sample. Any other column is read only when a field uses it.
 */
final class LabelsFile {
    static final String NAME = "labels.csv";

    /** The largest number of classes with numbers as names. Larger labels are targets and not classes. */
    private static final int MAX_NUMBERED_CLASSES = 1 << 16;

    private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");
    private static final Set<String> INVALID_NAMES = Set.of("", ".", "..");

    private final Storage storage;
    private final FileList files = new FileList();
    private final Map<String, Set<String>> filesByFolder = new HashMap<>();
    private final FieldSelection selection;
    private final List<String> columnNames;
    private final Map<String, CsvColumn> columns = new LinkedHashMap<>();
    private List<String> header = List.of();

    /**
     * The classes, each with its number in the order of first occurrence. {@link #files} stores these numbers as labels
     * until all classes are known.
     */
    private final Map<String, Integer> classes = new TreeMap<>();

    private boolean numbered;
    private int highest;
    private int line = 1;

    private LabelsFile(Storage storage, List<String> columnNames, FieldSelection selection) {
        this.storage = storage;
        this.columnNames = columnNames;
        this.selection = selection;
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
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(storage.open(NAME), StandardCharsets.UTF_8.newDecoder()))) {
            String first = reader.readLine();
            requireHeader(first == null ? "" : first);
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                line++;
                if (!text.isBlank()) {
                    add(fields(text));
                }
            }
        } catch (CharacterCodingException e) {
            throw new DatasetException(storage.display(NAME) + ": expected text in UTF-8, found other bytes", e);
        }
        if (files.size() == 0) {
            throw new DatasetException(storage.display(NAME) + ": expected files below the header, found none");
        }
        return new FolderDataset(
                storage, files.compact(), numbered ? numberedClasses() : namedClasses(), selection, columns);
    }

    private void requireHeader(String text) throws DatasetException {
        // Some spreadsheets write a byte order mark.
        header = fields(text.startsWith("\uFEFF") ? text.substring(1) : text);
        if (header.size() < 2 || !header.subList(0, 2).equals(List.of(FolderDataset.FILE, "label"))) {
            throw problem("expected the header file,label, found '" + text + "'");
        }
        for (String column : columnNames) {
            if (!header.contains(column)) {
                throw problem(
                        "expected a column '" + column + "', which the option fields names, found only " + header);
            }
            columns.put(column, new CsvColumn(header.indexOf(column)));
        }
    }

    private void add(List<String> fields) throws IOException {
        if (fields.size() != header.size()) {
            throw problem("expected " + String.join(",", header) + ", found " + fields.size()
                    + " fields; quote a name that has a comma");
        }
        requireFile(fields.get(0));
        files.add(fields.get(0), label(fields.get(1)));
        for (CsvColumn column : columns.values()) {
            column.add(fields.get(column.index()));
        }
    }

    private void requireFile(String file) throws IOException {
        for (String name : file.split("/", -1)) {
            if (INVALID_NAMES.contains(name)) {
                throw problem("expected a path below the folder, such as cat/1.jpg, found '" + file + "'");
            }
        }
        int slash = file.lastIndexOf('/');
        String folder = file.substring(0, Math.max(slash, 0));
        Set<String> listed = filesByFolder.get(folder);
        if (listed == null) {
            // Listing a folder once costs less than one request for each of its files, above all on remote storage.
            listed = filesIn(folder);
            filesByFolder.put(folder, listed);
        }
        if (!listed.contains(file.substring(slash + 1))) {
            throw problem("no such file: " + storage.display(file));
        }
    }

    private Set<String> filesIn(String folder) throws IOException {
        if (storage.kind(folder) != Kind.DIRECTORY) {
            return Set.of();
        }
        return FolderScan.list(storage, folder).stream()
                .filter(entry -> entry.kind() == Kind.FILE)
                .map(Entry::name)
                .collect(Collectors.toSet());
    }

    private int label(String text) throws DatasetException {
        if (text.isEmpty()) {
            throw problem("expected a label, found none");
        }
        boolean number = NUMBER.matcher(text).matches();
        if (files.size() == 0) {
            numbered = number;
        } else if (number != numbered) {
            throw problem("expected a " + (numbered ? "number" : "name") + " as label, as in the lines before, found '"
                    + text + "'");
        }
        if (!numbered) {
            classes.putIfAbsent(text, classes.size());
            return classes.get(text);
        }
        int label = number(text);
        highest = Math.max(highest, label);
        return label;
    }

    private int number(String text) throws DatasetException {
        try {
            int label = Integer.parseInt(text);
            if (label >= 0) {
                return label;
            }
        } catch (NumberFormatException tooLarge) {
            // Reported below, like a negative number.
        }
        throw problem("expected a label from 0 to " + Integer.MAX_VALUE + ", found " + text);
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

    private List<String> fields(String text) throws DatasetException {
        List<String> fields = new ArrayList<>();
        int at = 0;
        while (at <= text.length()) {
            boolean quoted = text.startsWith("\"", at);
            int end = quoted ? closingQuote(text, at) + 1 : text.indexOf(',', at);
            end = end < 0 ? text.length() : end;
            if (quoted && end < text.length() && text.charAt(end) != ',') {
                throw problem("expected a comma after the closing quote, found '" + text.substring(end) + "'");
            }
            fields.add(
                    quoted
                            ? text.substring(at + 1, end - 1).replace("\"\"", "\"")
                            : text.substring(at, end).strip());
            at = end + 1;
        }
        return fields;
    }

    private int closingQuote(String text, int opening) throws DatasetException {
        int at = text.indexOf('"', opening + 1);
        while (at >= 0 && text.startsWith("\"\"", at)) {
            at = text.indexOf('"', at + 2);
        }
        if (at < 0) {
            throw problem("expected a closing quote, found none");
        }
        return at;
    }

    private DatasetException problem(String what) {
        return new DatasetException(storage.display(NAME) + ":" + line + ": " + what);
    }
}

package io.millrace.dataset.folder;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.csv.CsvHeader;
import io.millrace.dataset.csv.CsvReader;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.files.SampleFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The columns of a list of files: the column whose values are files of the folder, and the column of the labels. Columns that the
 * pipeline file does not name are chosen only if they are clear.
 *
 * <p>Tested by {@code ListedFilesTest}.
 *
 * @param file the index of the column with the files
 * @param suffix what the values of that column lack, such as {@code .jpg}; empty if they lack nothing
 * @param labels the index of the column with the labels, or of the columns of the classes; empty if no label is read
 */
record ListedColumns(int file, String suffix, List<Integer> labels) {
    /** The names by which people call the column with the files, without their separators. */
    private static final Set<String> FILES = Set.of(
            "file",
            "filename",
            "filepath",
            "path",
            "image",
            "imagefile",
            "imagename",
            "imagepath",
            "imageid",
            "img",
            "imgname",
            "imgpath",
            "imgid",
            "id",
            "name",
            "audio",
            "audiofile",
            "slicefilename",
            "photo");

    private static final int MOST_VALUES_SHOWN = 6;

    /** The search for the columns of one file. */
    private record Search(
            String csv,
            CsvHeader header,
            CsvLabels option,
            List<List<String>> rows,
            FolderListings listings,
            FieldSelection selection) {

        DatasetException unclear(String what, String more) {
            return new DatasetException(csv + ": " + what + ". Its columns are " + columns() + ": set labels: {path: "
                    + option.path() + ", " + more + "}");
        }

        /** Returns the columns with their values in the first row. */
        String columns() {
            return IntStream.range(0, Math.min(header.names().size(), MOST_VALUES_SHOWN))
                            .mapToObj(i -> header.names().get(i) + " (such as '"
                                    + CsvReader.shown(rows.get(0).get(i)) + "')")
                            .collect(Collectors.joining(", "))
                    + (header.names().size() > MOST_VALUES_SHOWN
                            ? " and " + (header.names().size() - MOST_VALUES_SHOWN) + " more"
                            : "");
        }

        int named(String column, String key) throws DatasetException {
            int index = header.index(column);
            if (index < 0) {
                throw new DatasetException(csv + ": expected a column '" + column + "', which labels." + key
                        + " names, found only " + header.names());
            }
            return index;
        }

        /** A column whose values name files of the folder. */
        record Hits(int column, String suffix, int count) {}

        Hits hits(int column) throws IOException {
            int count = 0;
            String suffix = option.suffix().orElse("");
            for (List<String> row : rows) {
                String value = FolderListings.withoutDot(row.get(column));
                if (!SampleFile.isBelow(value)) {
                    continue;
                }
                if (option.suffix().isEmpty() && count == 0) {
                    suffix = suffix(value);
                }
                count += listings.contains(value + suffix) ? 1 : 0;
            }
            return new Hits(column, suffix, count);
        }

        /** Returns the extension that a value lacks; empty if it names a file, or none does with any extension. */
        private String suffix(String value) throws IOException {
            if (listings.contains(value)) {
                return "";
            }
            for (String extension : FolderScan.SAMPLE_EXTENSIONS) {
                for (String each : List.of(extension, extension.toUpperCase(Locale.ROOT))) {
                    if (listings.contains(value + "." + each)) {
                        return "." + each;
                    }
                }
            }
            return "";
        }

        Hits files() throws IOException {
            if (option.file().isPresent()) {
                return hits(named(option.file().get(), "file"));
            }
            List<Hits> found = new ArrayList<>();
            for (int column = 0; column < header.names().size(); column++) {
                Hits hits = hits(column);
                if (hits.count() > 0) {
                    found.add(hits);
                }
            }
            int most = found.stream().mapToInt(Hits::count).max().orElse(0);
            found.removeIf(hits -> hits.count() < most);
            if (found.size() > 1) {
                List<Hits> usual = found.stream()
                        .filter(hits ->
                                FILES.contains(CsvHeader.plain(header.names().get(hits.column()))))
                        .toList();
                found = usual.size() == 1 ? usual : found;
            }
            if (found.size() == 1) {
                return found.get(0);
            }
            String column =
                    header.names().get(found.isEmpty() ? 0 : found.get(0).column());
            throw unclear(
                    found.isEmpty()
                            ? "no column has names of files in the folder in its first " + rows.size() + " rows"
                            : "several columns have names of files in the folder",
                    "file: " + column + (found.isEmpty() ? ", suffix: .jpg" : ""));
        }

        List<Integer> labels(int file) throws IOException {
            if (selection.label().isEmpty()) {
                return List.of();
            }
            if (!option.label().isEmpty()) {
                List<Integer> named = new ArrayList<>();
                for (String column : option.label()) {
                    named.add(named(column, "label"));
                }
                return named;
            }
            List<String> read =
                    selection.fields().stream().map(FieldSource::from).toList();
            List<String> others = header.names().stream()
                    .filter(name -> header.index(name) != file && !read.contains(name))
                    .toList();
            List<String> usual =
                    header.labels().stream().filter(others::contains).toList();
            List<String> clear = usual.isEmpty() ? others : usual;
            if (clear.size() == 1) {
                return List.of(header.index(clear.get(0)));
            }
            String begin = "file: " + header.names().get(file) + ", label: ";
            boolean hot = usual.isEmpty() && others.size() > 1 && rows.stream().allMatch(row -> isHot(row, others));
            throw unclear(
                    clear.isEmpty()
                            ? "no column is left for the labels"
                            : hot
                                    ? "each column but one is 0 or 1, as if each were a class"
                                    : (usual.isEmpty() ? "no column" : "more than one column")
                                            + " has a name that is usual for labels",
                    begin + (hot ? "[" + String.join(", ", others) + "]" : clear.isEmpty() ? "name" : clear.get(0)));
        }

        private boolean isHot(List<String> row, List<String> columns) {
            return columns.stream()
                    .map(name -> row.get(header.index(name)))
                    .allMatch(value -> ListedFiles.isOne(value) || ListedFiles.isZero(value));
        }
    }

    /**
     * Chooses the columns.
     *
     * @param csv the file's name for messages
     * @param rows the values of the first rows, at least one
     * @throws DatasetException when the columns are unclear, or the labels are decimals; the message has the line to add to
     *     the pipeline file
     */
    static ListedColumns choose(
            String csv,
            CsvHeader header,
            CsvLabels option,
            List<List<String>> rows,
            FolderListings listings,
            FieldSelection selection)
            throws IOException {
        Search search = new Search(csv, header, option, rows, listings, selection);
        Search.Hits files = search.files();
        List<Integer> labels = search.labels(files.column());
        if (labels.size() == 1) {
            DecimalLabels.requireNone(
                    csv,
                    header.names().get(labels.get(0)),
                    rows.stream().map(row -> row.get(labels.get(0))).toList(),
                    rows.get(0).get(files.column()) + files.suffix());
        }
        return new ListedColumns(files.column(), files.suffix(), labels);
    }
}

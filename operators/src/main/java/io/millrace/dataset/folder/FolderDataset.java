package io.millrace.dataset.folder;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.LabelCandidates.Kind;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** A dataset of image files. A file is read as a whole when its sample is read. */
final class FolderDataset implements Dataset {
    /** The name of the column that contains the path of the image. */
    static final String FILE = "file";

    private final Storage storage;
    private final FileList files;
    private final List<String> classes;
    private final FieldSelection fields;
    private final Map<String, CsvColumn> columns;
    private final List<String> remarks;

    /**
     * Creates a dataset.
     *
     * @param files the files, in the order of their indexes
     * @param classes the names of the classes in the order of their labels; empty where labels are numbers without
     *     names
     * @param columns the columns of {@code labels.csv} that fields use, apart from the image's path
     * @param remarks sentences on what was not read
     */
    FolderDataset(
            Storage storage,
            FileList files,
            List<String> classes,
            FieldSelection fields,
            Map<String, CsvColumn> columns,
            List<String> remarks) {
        this.storage = storage;
        this.files = files;
        this.classes = List.copyOf(classes);
        this.fields = fields;
        this.columns = Map.copyOf(columns);
        this.remarks = List.copyOf(remarks);
    }

    @Override
    public long size() {
        return files.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        return read((int) Objects.checkIndex(index, size()), index, "");
    }

    /**
     * Reads a file as a sample of a dataset that consists of several folders.
     *
     * @param index the sample's index in that dataset
     * @param prefix the prefix of the sample's key, which precedes the file's path
     */
    Sample read(int number, long index, String prefix) throws IOException {
        String path = files.path(number);
        Optional<String> missing = files.missing(number);
        if (missing.isPresent()) {
            throw new BadSampleException(prefix + path, -1, missing.get());
        }
        long label = label(number, prefix);
        Sample sample = new Sample(index, prefix + path, label);
        for (FieldSource source : fields.fields()) {
            sample.put(source.name(), field(source, number, path, prefix));
        }
        return sample;
    }

    private Field field(FieldSource source, int number, String path, String prefix) throws IOException {
        CsvColumn column = columns.get(source.from());
        if (column != null && !isPicture(source)) {
            return column.field(source, number, new ValuePlace(prefix + path, -1));
        }
        String file = column == null
                ? path
                : SampleFile.requireBelow(column.text(number).strip(), prefix + path);
        byte[] bytes = SampleFile.read(storage, file, prefix, "the file existed when the folder was listed");
        return FieldValues.bytes(source, bytes, new ValuePlace(prefix + file, 0));
    }

    /** Returns whether a column for the field holds paths of files. */
    private static boolean isPicture(FieldSource source) {
        return source.as() == As.IMAGE || source.as() == As.MASK;
    }

    /** Returns whether a field of the selection reads the files that a column names. */
    static boolean isPicture(FieldSelection selection, String column) {
        return selection.fields().stream().anyMatch(field -> field.from().equals(column) && isPicture(field));
    }

    /** Returns the prefix of the keys of this folder's samples in a dataset of several folders. */
    String name() {
        return storage.display("") + "/";
    }

    @Override
    public long label(long index) throws BadSampleException {
        return label((int) Objects.checkIndex(index, size()), "");
    }

    /** Returns the label of a sample of a dataset that consists of several folders, as {@link #read} does. */
    long label(int number, String prefix) throws BadSampleException {
        if (fields.label().isEmpty()) {
            return Labels.NONE;
        }
        Optional<String> problem = files.problem(number);
        if (problem.isPresent()) {
            throw new BadSampleException(prefix + files.path(number), -1, problem.get());
        }
        return files.label(number);
    }

    @Override
    public String nameOf(long index) {
        return files.path((int) Objects.checkIndex(index, size()));
    }

    @Override
    public FolderDataset only(String field) {
        List<FieldSource> only = fields.fields().stream()
                .filter(source -> source.name().equals(field))
                .toList();
        return new FolderDataset(
                storage, files, classes, new FieldSelection(only, fields.label(), fields.chosen()), columns, remarks);
    }

    /**
     * Returns the total size of all files when they are on this machine, where reading a size takes microseconds.
     * Returns empty for remote storage, which would need a request for each file.
     */
    @Override
    public OptionalLong storedBytes() {
        long bytes = 0;
        for (int i = 0; i < files.size(); i++) {
            Optional<Path> file = storage.local(files.path(i));
            if (file.isEmpty()) {
                return OptionalLong.empty();
            }
            // The size of a file that cannot be examined is 0. Its sample is bad.
            bytes += file.get().toFile().length();
        }
        return OptionalLong.of(bytes);
    }

    @Override
    public List<String> remarks() {
        return remarks;
    }

    @Override
    public StoredLabels labels() {
        return LabelCandidates.of(fields, new LabelCandidates().add(FieldSource.LABEL, Kind.NAMED_CLASSES));
    }

    @Override
    public List<String> classes() {
        return classes;
    }

    @Override
    public void close() {
        // Each read opens and closes its file.
    }
}

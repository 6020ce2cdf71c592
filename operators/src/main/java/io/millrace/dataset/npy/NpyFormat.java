package io.millrace.dataset.npy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.MissingPath;
import io.millrace.dataset.npy.NpyDataset.Column;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Segments;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The format of NumPy's arrays, one file for each field.
 *
 * <p>Tested by {@code NpyDatasetTest}.
 */
public final class NpyFormat implements DatasetFormat {
    /** The option for the folder of the files. */
    public static final Option<String> PATH = Option.of(
                    "path", OptionType.PATH, "The folder of the .npy files; fields sets the names of the files.")
            .decides(Identity.NOTHING);

    private static final List<FieldSource> DEFAULTS = List.of(
            new FieldSource(Sample.IMAGE, "images.npy", As.AUTO),
            new FieldSource(FieldSource.LABEL, "labels.npy", As.AUTO));

    /** The largest item that is read, in bytes. */
    private static final long MOST_ITEM_BYTES = 1L << 30;

    @Override
    public String name() {
        return "npy";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("npy", "numpy", "array");
    }

    @Override
    public String help() {
        return "NumPy's .npy files in a folder, one for each field, whose first dimension is the number of samples. By"
                + " default image is images.npy and label is labels.npy; set other files with fields: {image:"
                + " x_train.npy, label: y_train.npy}.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH, FieldSources.FIELDS, Labels.CLASSES);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        Storage folder = Storage.of(options.get(PATH), storageOptions);
        switch (folder.kind("")) {
            case MISSING -> throw MissingPath.folder(folder);
            case FILE ->
                throw new DatasetException(folder.display("")
                        + " is a file; expected the folder that holds it, and the name of the file in fields: {image: "
                        + folder.display("").replaceAll(".*/", "") + "}");
            case DIRECTORY -> {}
        }
        FieldSelection selection = FieldSelection.of(options, DEFAULTS);
        Optional<FieldSource> label = selection.label().filter(source -> selection.chosen() || exists(folder, source));
        List<DataFile> files = new ArrayList<>();
        List<Column> fields = new ArrayList<>();
        for (FieldSource source : selection.fields()) {
            fields.add(column(folder, source, files));
        }
        List<Column> labels = new ArrayList<>();
        if (label.isPresent()) {
            labels.add(column(folder, label.get(), files));
        }
        List<Column> all = new ArrayList<>(fields);
        all.addAll(labels);
        long size = requireOneSize(all);
        return new NpyDataset(
                fields,
                labels,
                Labels.of(options.find(Labels.CLASSES)),
                () -> label.isPresent()
                        ? StoredLabels.PRESENT
                        : candidates(folder, size).without(selection),
                new OpenFiles(files),
                size);
    }

    /** Returns the files of the folder that have one whole number for each sample. */
    private static LabelCandidates candidates(Storage folder, long size) throws IOException {
        LabelCandidates candidates = new LabelCandidates();
        List<String> names = folder.list("").stream()
                .filter(entry -> entry.kind() == Kind.FILE && entry.name().endsWith(".npy"))
                .map(Entry::name)
                .sorted()
                .limit(StoredLabels.MOST_CANDIDATES * 4L)
                .toList();
        for (String name : names) {
            try (RangedFile open = new DataFile(folder, name).open()) {
                NpyHeader header = header(open);
                boolean one = header.shape().size() >= 1 && header.shape().get(0) == size && header.elements(1) == 1;
                if (one && !header.type().dtype().isFloat()) {
                    candidates.add(name, LabelCandidates.Kind.WHOLE_NUMBER);
                }
            } catch (MalformedNpyException e) {
                // A file of another kind is not proposed.
            }
        }
        return candidates;
    }

    private static boolean exists(Storage folder, FieldSource source) {
        try {
            return folder.kind(source.from()) == Kind.FILE;
        } catch (IOException e) {
            // The problem is reported when the file is opened.
            return true;
        }
    }

    private static Column column(Storage folder, FieldSource source, List<DataFile> files) throws IOException {
        if (folder.kind(source.from()) != Kind.FILE) {
            throw new DatasetException("no " + source.from() + " for the field '" + source.name() + "' in "
                    + folder.display("") + "; set the name of the file with fields: {" + source.name() + ": file.npy}");
        }
        DataFile file = new DataFile(folder, source.from());
        files.add(file);
        try (RangedFile open = file.open()) {
            NpyHeader header = header(open);
            requireRows(file, header, open.size());
            return new Column(source, files.size() - 1, file.name(), header, mapped(file, header));
        } catch (MalformedNpyException e) {
            throw new DatasetException(file.name() + ": at offset " + e.offset() + " " + e.reason(), e);
        }
    }

    /** Maps the elements of a file on this machine; returns null for a file that is elsewhere. */
    private static @Nullable Segments mapped(DataFile file, NpyHeader header) throws IOException {
        Optional<Path> local = file.local();
        if (local.isEmpty()) {
            return null;
        }
        try (FileChannel channel = FileChannel.open(local.get(), StandardOpenOption.READ)) {
            return Segments.map(
                    channel, header.bytes(), header.elements(0) * header.type().bytes());
        }
    }

    private static NpyHeader header(RangedFile file) throws IOException {
        byte[] prefix = file.read(0, (int) Math.min(NpyHeader.PREFIX_BYTES, file.size()));
        return NpyHeader.parse(file.read(0, (int) Math.min(NpyHeader.length(prefix), file.size())));
    }

    private static void requireRows(DataFile file, NpyHeader header, long found) throws DatasetException {
        String name = file.name();
        if (header.shape().isEmpty()) {
            throw new DatasetException(
                    name + ": expected an array whose first extent counts the samples, found a single number");
        }
        if (header.fortran() && header.shape().size() > 1) {
            throw new DatasetException(
                    name + " is in Fortran's order, in which a sample's numbers lie scattered over the"
                            + " file: save numpy.ascontiguousarray of it");
        }
        if (header.elements(1) * header.type().bytes() > MOST_ITEM_BYTES) {
            throw new DatasetException(
                    name + ": expected items of up to " + MOST_ITEM_BYTES + " bytes, found " + header.describe());
        }
        long expected = header.bytes() + header.elements(0) * header.type().bytes();
        if (found != expected) {
            throw new DatasetException(name + " is " + (found < expected ? "cut off" : "too long")
                    + ": its header states " + header.describe() + ", so expected the end at offset " + expected
                    + ", found it at " + found);
        }
    }

    private static long requireOneSize(List<Column> columns) throws DatasetException {
        Column first = columns.get(0);
        long size = first.header().shape().get(0);
        for (Column column : columns) {
            if (column.header().shape().get(0) != size) {
                throw new DatasetException(first.name() + " has " + size + " items: expected as many in "
                        + column.name() + ", found " + column.header().shape().get(0));
            }
        }
        if (size == 0) {
            throw new DatasetException(first.name() + ": expected at least 1 item, found 0");
        }
        return size;
    }
}

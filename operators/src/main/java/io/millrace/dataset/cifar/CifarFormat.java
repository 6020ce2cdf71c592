package io.millrace.dataset.cifar;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.cifar.CifarDataset.StoredField;
import io.millrace.dataset.cifar.Variant.LabelByte;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.LabelCandidates;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The format of CIFAR's binary files.
 *
 * <p>Tested by {@code CifarDatasetTest}.
 */
public final class CifarFormat implements DatasetFormat {
    /** The subsets of the files in a folder. */
    public enum Subset {
        TRAIN,
        TEST;

        private List<String> cifar10Files() {
            return this == TEST
                    ? List.of("test_batch.bin")
                    : IntStream.rangeClosed(1, 5)
                            .mapToObj(number -> "data_batch_" + number + ".bin")
                            .toList();
        }

        private String cifar100File() {
            return this == TEST ? "test.bin" : "train.bin";
        }
    }

    /** The option that selects the training files or the test files in a folder. */
    public static final Option<Subset> SPLIT = Option.of(
                    "split",
                    OptionType.choice(Subset.class),
                    "The files to read when path is the folder of one of the datasets: with train, data_batch_1.bin to"
                            + " data_batch_5.bin or train.bin; with test, test_batch.bin or test.bin.")
            .orElse(Subset.TRAIN)
            .decides(Identity.BATCHES);

    private static final List<FieldSource> DEFAULTS = List.of(
            new FieldSource(Sample.IMAGE, Sample.IMAGE, As.IMAGE), new FieldSource(FieldSource.LABEL, "fine", As.AUTO));

    @Override
    public String name() {
        return "cifar";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("cifar", "cifar10", "cifar100");
    }

    @Override
    public String help() {
        return "CIFAR-10's and CIFAR-100's binary files: label bytes and images of 32 x 32. With fields: {label:"
                + " coarse}, the labels of CIFAR-100 are its 20 coarse classes.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, SPLIT, FieldSources.FIELDS);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        List<DataFile> files = files(options.get(DataFiles.PATH), options.get(SPLIT), storageOptions);
        List<Long> sizes = ParallelTasks.map(files, file -> file.state().size());
        Variant variant = variant(files, sizes);
        FieldSelection selection = FieldSelection.of(options, DEFAULTS);
        List<StoredField> fields = new ArrayList<>();
        for (FieldSource field : selection.fields()) {
            boolean picture = field.from().equals(Sample.IMAGE);
            fields.add(new StoredField(field, picture ? -1 : labelByte(field, variant)));
        }
        int labelByte =
                selection.label().isPresent() ? labelByte(selection.label().get(), variant) : -1;
        LabelCandidates candidates = new LabelCandidates();
        variant.labels().forEach(label -> candidates.add(label.name(), LabelCandidates.Kind.NAMED_CLASSES));
        long[] records =
                sizes.stream().mapToLong(size -> size / variant.recordBytes()).toArray();
        return new CifarDataset(
                files,
                records,
                variant,
                fields,
                labelByte,
                LabelCandidates.of(selection, candidates),
                labelByte < 0
                        ? List.of()
                        : classes(files.get(0), variant.labels().get(labelByte), storageOptions));
    }

    private static List<DataFile> files(List<String> paths, Subset subset, StorageOptions storageOptions)
            throws IOException {
        Storage folder = Storage.of(paths.get(0), storageOptions);
        if (paths.size() > 1 || folder.kind("") != Kind.DIRECTORY) {
            return DataFiles.find(paths, storageOptions);
        }
        if (folder.kind(subset.cifar100File()) == Kind.FILE) {
            return List.of(new DataFile(folder, subset.cifar100File()));
        }
        List<DataFile> files = new ArrayList<>();
        for (String name : subset.cifar10Files()) {
            if (folder.kind(name) != Kind.FILE) {
                throw new DatasetException("no " + name + " in " + folder.display("") + "; expected "
                        + String.join(", ", subset.cifar10Files()) + ", or " + subset.cifar100File());
            }
            files.add(new DataFile(folder, name));
        }
        return files;
    }

    private static Variant variant(List<DataFile> files, List<Long> sizes) throws DatasetException {
        for (Variant variant : Variant.values()) {
            if (sizes.stream().allMatch(size -> size > 0 && size % variant.recordBytes() == 0)) {
                return variant;
            }
        }
        for (int file = 0; file < files.size(); file++) {
            long size = sizes.get(file);
            boolean whole = size > 0
                    && (size % Variant.CIFAR10.recordBytes() == 0 || size % Variant.CIFAR100.recordBytes() == 0);
            if (!whole) {
                throw new DatasetException(files.get(file).name() + " has " + size + " bytes: expected a multiple of "
                        + Variant.CIFAR10.recordBytes() + " (CIFAR-10) or " + Variant.CIFAR100.recordBytes()
                        + " (CIFAR-100). Is it cut off, or another kind of file?");
            }
        }
        throw new DatasetException("expected files of CIFAR-10 or files of CIFAR-100, found both: "
                + String.join(", ", files.stream().map(DataFile::name).toList()));
    }

    private static int labelByte(FieldSource source, Variant variant) throws DatasetException {
        List<String> names = variant.labels().stream().map(LabelByte::name).toList();
        int at = names.indexOf(source.from());
        if (at < 0) {
            throw new DatasetException("no '" + source.from() + "' for the field '" + source.name() + "' in "
                    + variant.name().toLowerCase(java.util.Locale.ROOT) + " files; there are " + Sample.IMAGE + " and "
                    + String.join(", ", names));
        }
        return at;
    }

    /** Returns the class names from the file beside the data, or the class numbers when there is no such file. */
    private static List<String> classes(DataFile file, LabelByte label, StorageOptions storageOptions)
            throws IOException {
        String name = file.name();
        Storage folder =
                Storage.of(name.contains("/") ? name.substring(0, name.lastIndexOf('/') + 1) : ".", storageOptions);
        if (folder.kind(label.namesFile()) == Kind.FILE) {
            List<String> names = new String(folder.read(label.namesFile()), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
            if (names.size() != label.classes()) {
                throw new DatasetException(folder.display(label.namesFile()) + ": expected " + label.classes()
                        + " names, found " + names.size());
            }
            return names;
        }
        return IntStream.range(0, label.classes()).mapToObj(Integer::toString).toList();
    }
}

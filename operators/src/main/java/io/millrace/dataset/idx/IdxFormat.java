package io.millrace.dataset.idx;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.files.MissingPath;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The format of pairs of IDX files, in which MNIST is published. */
public final class IdxFormat implements DatasetFormat {
    /** The pairs of MNIST's files. */
    public enum Subset {
        TRAIN("train"),
        TEST("t10k");

        private final String prefix;

        Subset(String prefix) {
            this.prefix = prefix;
        }
    }

    /** The option for the folder of MNIST's files. */
    public static final Option<String> PATH = Option.of(
                    "path",
                    OptionType.PATH,
                    "The folder of MNIST's files, plain or .gz, or a folder that holds them in MNIST/raw or raw.")
            .optional()
            .decides(Identity.NOTHING);

    /** The option that selects the pair of files in {@link #PATH}. */
    public static final Option<Subset> SPLIT = Option.of(
                    "split",
                    OptionType.choice(Subset.class),
                    "The pair of files in path: with train, the files train-...; with test, the files t10k-....")
            .orElse(Subset.TRAIN)
            .decides(Identity.BATCHES);

    /** The option for the file of images, in place of {@link #PATH}. */
    public static final Option<String> IMAGES = Option.of(
                    "images", OptionType.PATH, "The file of images, in place of path; requires labels.")
            .optional()
            .decides(Identity.BATCHES);

    /** The option for the file of labels, in place of {@link #PATH}. */
    public static final Option<String> LABELS = Option.of(
                    "labels", OptionType.PATH, "The file of labels, in place of path; requires images.")
            .optional()
            .decides(Identity.BATCHES);

    private static final List<String> FOLDERS = List.of("", "MNIST/raw/", "raw/");
    private static final List<String> IMAGE_NAMES =
            List.of("-images-idx3-ubyte", "-images.idx3-ubyte", "-images-idx4-ubyte", "-images.idx4-ubyte");
    private static final List<String> LABEL_NAMES =
            List.of("-labels-idx1-ubyte", "-labels.idx1-ubyte", "-labels-idx1-int", "-labels.idx1-int");

    @Override
    public String name() {
        return "idx";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("idx", "mnist", "fashion_mnist", "emnist", "kmnist");
    }

    @Override
    public String help() {
        return "MNIST's IDX files of images and labels, plain (memory-mapped) or gzipped (inflated to memory).";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH, SPLIT, IMAGES, LABELS);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        Optional<String> path = options.find(PATH);
        Optional<String> images = options.find(IMAGES);
        Optional<String> labels = options.find(LABELS);
        if (path.isPresent() && images.isEmpty() && labels.isEmpty()) {
            Storage storage = Storage.of(path.get(), storageOptions);
            Subset subset = options.get(SPLIT);
            return IdxDataset.of(
                    find(storage, subset.prefix, IMAGE_NAMES, "images"),
                    find(storage, subset.prefix, LABEL_NAMES, "labels"));
        }
        if (path.isEmpty() && images.isPresent() && labels.isPresent()) {
            return IdxDataset.of(file(images.get(), storageOptions), file(labels.get(), storageOptions));
        }
        throw new DatasetException("an idx dataset needs either path, a folder with MNIST's files, or both images and"
                + " labels; found " + options.raw().keySet());
    }

    private static IdxFile find(Storage storage, String prefix, List<String> names, String what) throws IOException {
        switch (storage.kind("")) {
            case MISSING -> throw MissingPath.folder(storage);
            case FILE ->
                throw new DatasetException(
                        storage.display("")
                                + " is a file; expected a folder with MNIST's files (or set images and labels instead of path)");
            case DIRECTORY -> {}
        }
        List<String> tried = new ArrayList<>();
        for (String folder : FOLDERS) {
            for (String name : names) {
                String plain = folder + prefix + name;
                for (String candidate : List.of(plain, plain + ".gz")) {
                    if (storage.kind(candidate) == Kind.FILE) {
                        return IdxFile.open(storage, candidate);
                    }
                }
                tried.add(plain);
            }
        }
        throw new DatasetException("no " + what + " in " + storage.display("") + "; expected one of "
                + String.join(", ", tried) + ", with or without .gz");
    }

    private static IdxFile file(String path, StorageOptions storageOptions) throws IOException {
        Storage storage = Storage.of(path, storageOptions);
        switch (storage.kind("")) {
            case MISSING -> throw MissingPath.file(storage);
            case DIRECTORY -> throw new DatasetException(path + " is a folder; expected an IDX file");
            case FILE -> {}
        }
        return IdxFile.open(storage, "");
    }
}

package io.millrace.cli;

import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.run.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;

/** A dataset that is given by its path. An option or the file name determines its format. */
final class PathDataset {
    /** By the end of the name. */
    private static final Map<String, String> FORMATS = Map.of(
            "tar", "tar",
            "tfrecord", "tfrecord",
            "tfrecords", "tfrecord",
            "parquet", "parquet",
            "arrow", "arrow",
            "h5", "hdf5",
            "hdf5", "hdf5");

    private PathDataset() {}

    /**
     * Returns the description of the dataset.
     *
     * @param format the format; empty to derive it from the path
     */
    static DatasetSpec of(String path, String format) {
        String name = format.isEmpty() ? guess(path) : format;
        List<DatasetFormat> installed = ServiceLoader.load(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        DatasetFormat known = installed.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("--from: expected one of "
                        + installed.stream().map(DatasetFormat::name).sorted().toList() + ", found '" + name + "'"));
        try {
            return new DatasetSpec(name, OptionValues.of(known.options(), Map.of("path", path)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    path + " as " + name + ": " + e.getMessage() + "; use a pipeline file to set further options");
        }
    }

    private static String guess(String path) {
        String extension = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        String format = FORMATS.get(extension);
        if (format != null) {
            return format;
        }
        if (Files.isDirectory(Path.of(path))) {
            return "folder";
        }
        if (path.indexOf(':') < 0 && !Files.exists(Path.of(path))) {
            throw new UsageException("no such file or folder: " + path);
        }
        throw new UsageException("cannot derive the format of " + path + ": name it with --from");
    }
}

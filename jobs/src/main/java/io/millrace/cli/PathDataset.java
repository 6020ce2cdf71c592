package io.millrace.cli;

import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.run.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** A dataset that the user names by its path alone. The format is a command line option, or follows from the path. */
final class PathDataset {
    private PathDataset() {}

    /**
     * Returns the dataset at a path.
     *
     * @param format the name of the format; empty to choose it by the path
     * @throws UsageException when there is no such format, or the path does not identify one
     */
    static DatasetSpec of(String path, String format) {
        List<DatasetFormat> installed = Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(DatasetFormat::offered)
                .toList();
        DatasetFormat known = format.isEmpty() ? byPath(path, installed) : byName(format, installed);
        try {
            return new DatasetSpec(known.name(), OptionValues.of(known.options(), Map.of("path", path)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    path + " as " + known.name() + ": " + e.getMessage() + "; use a pipeline file to set more options");
        }
    }

    private static DatasetFormat byName(String name, List<DatasetFormat> installed) {
        return installed.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("--from: expected one of "
                        + installed.stream().map(DatasetFormat::name).sorted().toList() + ", found '" + name + "'"));
    }

    private static boolean needsOnlyThePath(DatasetFormat format) {
        return format.options().stream()
                .allMatch(option -> !option.required() || option.key().equals("path"));
    }

    private static DatasetFormat byPath(String path, List<DatasetFormat> installed) {
        String extension = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        List<DatasetFormat> candidates = installed.stream()
                .filter(format -> format.extensions().contains(extension)
                        || format.extensions().stream()
                                .anyMatch(each -> path.toLowerCase(Locale.ROOT).endsWith("." + each)))
                .toList();
        if (candidates.isEmpty() && Files.isDirectory(Path.of(path))) {
            candidates = installed.stream()
                    .filter(DatasetFormat::filePerSample)
                    .filter(PathDataset::needsOnlyThePath)
                    .toList();
        }
        if (candidates.size() == 1) {
            return candidates.get(0);
        }
        if (!candidates.isEmpty()) {
            throw new UsageException(path + " may have one of the formats "
                    + candidates.stream().map(DatasetFormat::name).sorted().collect(Collectors.joining(", "))
                    + ": choose one with --from");
        }
        if (path.indexOf(':') < 0 && !Files.exists(Path.of(path))) {
            throw new UsageException("no such file or folder: " + path);
        }
        throw new UsageException("cannot derive the format of " + path + ": choose it with --from");
    }
}

package io.millrace.cli;

import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;

/** A dataset that the user names by its path alone. The format is a command line option, or follows from the path. */
final class PathDataset {
    /** The beginning of the setting that names the format of data. */
    static final String FORMAT_SETTING = "dataset.format=";

    private PathDataset() {}

    /**
     * Returns the dataset at a path.
     *
     * @param format the name of the format; empty to choose it by the path
     * @throws UsageException when there is no such format, or the path does not identify one
     */
    static DatasetSpec of(String path, String format) {
        DatasetFormat known = format.isEmpty() ? byPath(path, installed()) : byName(format, installed());
        try {
            return new DatasetSpec(known.name(), OptionValues.of(known.options(), Map.of("path", path)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    path + " as " + known.name() + ": " + e.getMessage() + "; use a pipeline file to set more options");
        }
    }

    /**
     * Returns the format of an argument that is the path of a dataset; empty for a pipeline file, and for whatever else no format
     * reads.
     *
     * @param settings the settings of the command line, of which the last {@code dataset.format=} names the format of data with any name
     */
    static Optional<String> formatOf(String argument, List<String> settings) {
        if (isPipelineName(argument)) {
            return Optional.empty();
        }
        Optional<String> chosen = settings.stream()
                .filter(setting -> setting.startsWith(FORMAT_SETTING))
                .map(setting -> setting.substring(FORMAT_SETTING.length()).strip())
                .reduce((before, last) -> last);
        if (chosen.isPresent()) {
            return chosen;
        }
        return candidates(argument, installed()).isEmpty()
                ? Optional.empty()
                : Optional.of(byPath(argument, installed()).name());
    }

    /** Returns whether an argument has the name of a pipeline file. */
    static boolean isPipelineName(String argument) {
        String name = argument.toLowerCase(Locale.ROOT);
        return name.endsWith(".yaml") || name.endsWith(".yml");
    }

    private static List<DatasetFormat> installed() {
        return Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(DatasetFormat::offered)
                .toList();
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
        List<DatasetFormat> candidates = candidates(path, installed);
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

    private static List<DatasetFormat> candidates(String path, List<DatasetFormat> installed) {
        if (!Files.isDirectory(Path.of(path))) {
            return byExtension(path, installed);
        }
        Set<DatasetFormat> ofFiles = new LinkedHashSet<>();
        boolean others = false;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of(path))) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                List<DatasetFormat> found = byExtension(name, installed);
                ofFiles.addAll(found);
                others |= found.isEmpty() && !name.startsWith(".") && !isDescription(name);
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new UsageException("cannot list the folder " + path + ": " + e.getMessage());
        }
        return !ofFiles.isEmpty() && !others
                ? List.copyOf(ofFiles)
                : installed.stream()
                        .filter(DatasetFormat::filePerSample)
                        .filter(PathDataset::needsOnlyThePath)
                        .toList();
    }

    /** Returns whether a file beside the data describes them, as README.md does. */
    private static boolean isDescription(String name) {
        return name.endsWith(".md") || name.startsWith("LICENSE");
    }

    private static List<DatasetFormat> byExtension(String path, List<DatasetFormat> installed) {
        String name = path.toLowerCase(Locale.ROOT);
        return installed.stream()
                .filter(format -> format.extensions().stream().anyMatch(extension -> name.endsWith("." + extension)))
                .toList();
    }
}

package io.millrace.dataset.files;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.LinksOut;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Entry;
import io.millrace.dataset.storage.Storage.Kind;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The expansion of the option {@code path} to the files of a dataset. A path names a file or a folder. A folder stands
 * for its files with one of the format's extensions. A path may also contain braces, as in
 * {@code shard-{000..127}.tar}, or be a pattern with {@code *}, {@code ?}, {@code [a-z]} and {@code **}. A path that
 * exists exactly as it is written is never expanded.
 *
 * <p>The order of the files is the order of the samples' indexes: paths in the order of the list, braces in the order
 * in which they are written, and the files of a pattern or a folder sorted by path.
 */
public final class DataFiles {
    /** The type of the option {@code path}, for {@link #find}. */
    public static final OptionType<List<String>> TYPE = OptionType.of(
                    "path or list of paths, with * ? [a-z] ** and {a,b} {000..127}", DataFiles::parse)
            .ofPaths();

    /** The option {@code path} of formats whose datasets consist of files. */
    public static final Option<List<String>> PATH = Option.of(
                    "path",
                    TYPE,
                    "A file, a folder of such files, a pattern (*, ?, [a-z], ** for folders at any depth, {a,b}, {000..127}), or"
                            + " a list of paths.")
            .decides(Identity.NOTHING);

    /** The largest number of folders that are listed for a message. */
    private static final int MOST_LISTED = 16;

    private DataFiles() {}

    /**
     * Returns the files that the paths name: at least one, and each only once. Folders are refused.
     *
     * @throws DatasetException when a file does not exist or is named twice, or when a pattern matches nothing
     */
    public static List<DataFile> find(List<String> paths, StorageOptions options) throws IOException {
        return find(paths, List.of(), options);
    }

    /**
     * Returns the files that the paths name: at least one, and each only once. A folder stands for its files with the
     * given extensions.
     *
     * @param extensions the extensions of the files to read from a folder, such as {@code tar}; lower case, without the
     *     dot
     * @throws DatasetException when a file does not exist or is named twice, or when a pattern or folder yields no file
     */
    public static List<DataFile> find(List<String> paths, List<String> extensions, StorageOptions options)
            throws IOException {
        List<DataFile> files = new ArrayList<>();
        ParallelTasks.map(expanded(paths, options), path -> files(path, extensions, options))
                .forEach(files::addAll);
        return requireDistinct(files);
    }

    /**
     * Returns the files that the paths of a dataset of any format name, whether or not the format reads each of them: of a folder all
     * files directly in it, and of the beginning of names, such as that of a pair of Megatron-LM, the files whose names are it with an
     * extension. They show whether the dataset has changed.
     */
    public static List<DataFile> named(List<String> paths, StorageOptions options) throws IOException {
        List<DataFile> files = new ArrayList<>();
        for (String path : expanded(paths, options)) {
            Storage storage = Storage.of(path, options);
            switch (storage.kind("")) {
                case FILE -> files.add(new DataFile(storage, ""));
                case DIRECTORY -> files.addAll(visible(storage, ""));
                case MISSING ->
                    files.addAll(Glob.isPattern(path) ? Glob.find(path, Kind.FILE, options) : begun(path, options));
            }
        }
        return files;
    }

    /** Returns the files whose names are that of a path with an extension. */
    private static List<DataFile> begun(String path, StorageOptions options) throws IOException {
        int slash = path.lastIndexOf('/');
        Storage folder = Storage.of(slash < 0 ? "." : slash == 0 ? "/" : path.substring(0, slash), options);
        return folder.kind("") == Kind.DIRECTORY ? visible(folder, path.substring(slash + 1) + ".") : List.of();
    }

    private static List<DataFile> visible(Storage folder, String beginning) throws IOException {
        return folder.list("").stream()
                .filter(entry -> entry.kind() == Kind.FILE && !entry.name().startsWith("."))
                .map(Entry::name)
                .filter(name -> name.startsWith(beginning))
                .sorted(NameOrder.BY_CODE_POINT)
                .map(name -> new DataFile(folder, name))
                .toList();
    }

    /**
     * Returns the folders that the paths name, each as the root of a storage: at least one, and each only once.
     *
     * @throws DatasetException when a folder does not exist or is named twice, or when a pattern matches none
     */
    public static List<Storage> folders(List<String> paths, StorageOptions options) throws IOException {
        List<DataFile> folders = new ArrayList<>();
        for (String path : expanded(paths, options)) {
            Storage storage = Storage.of(path, options);
            if (!Glob.isPattern(path) || storage.kind("") != Kind.MISSING) {
                // A missing or unsuitable folder is not reported here, because the code that reads the folder reports
                // it more precisely.
                folders.add(new DataFile(storage, ""));
                continue;
            }
            List<DataFile> matched = Glob.find(path, Kind.DIRECTORY, options);
            if (matched.isEmpty()) {
                throw new DatasetException("no folder matches " + path);
            }
            for (DataFile folder : matched) {
                folders.add(new DataFile(Storage.of(folder.name(), options), ""));
            }
        }
        return requireDistinct(folders).stream().map(DataFile::storage).toList();
    }

    private static List<String> expanded(List<String> paths, StorageOptions options) throws IOException {
        List<String> expanded = new ArrayList<>();
        for (String path : paths) {
            boolean literal = path.indexOf('{') < 0 || Storage.of(path, options).kind("") != Kind.MISSING;
            expanded.addAll(literal ? List.of(path) : Braces.expand(path));
        }
        return expanded;
    }

    private static List<DataFile> files(String path, List<String> extensions, StorageOptions options)
            throws IOException {
        Storage storage = Storage.of(path, options);
        switch (storage.kind("")) {
            case FILE -> {
                return List.of(new DataFile(storage, ""));
            }
            case DIRECTORY -> {
                return filesIn(storage, extensions);
            }
            case MISSING -> {}
        }
        if (!Glob.isPattern(path)) {
            throw MissingPath.file(storage);
        }
        List<DataFile> matched = Glob.find(path, Kind.FILE, options);
        if (matched.isEmpty()) {
            throw new DatasetException("no file matches " + path);
        }
        return matched;
    }

    private static List<DataFile> filesIn(Storage folder, List<String> extensions) throws IOException {
        String name = folder.display("");
        if (extensions.isEmpty()) {
            throw new DatasetException(name + " is a folder; expected a file");
        }
        List<Entry> entries = folder.list("");
        LinksOut links = new LinksOut(folder);
        List<DataFile> files = entries.stream()
                .filter(entry -> entry.kind() == Kind.FILE && !entry.name().startsWith("."))
                .filter(entry -> hasExtension(entry.name(), extensions))
                .filter(entry -> !links.addIfOutside(entry, ""))
                .map(Entry::name)
                .sorted(NameOrder.BY_CODE_POINT)
                .map(file -> new DataFile(folder, file))
                .toList();
        links.requireNone();
        if (files.isEmpty()) {
            String endings = "." + String.join(", .", extensions);
            boolean folders = entries.stream().anyMatch(entry -> entry.kind() == Kind.DIRECTORY);
            throw new DatasetException("no files in the folder " + name + "; expected files ending in " + endings
                    + (folders
                            ? ". For files in the folders below it, write " + below(folder, entries, extensions)
                            : others(folder, entries)));
        }
        return files;
    }

    /** Returns the sentence for a folder with files of other extensions. */
    private static String others(Storage folder, List<Entry> entries) {
        return entries.stream()
                .filter(entry -> entry.kind() == Kind.FILE && !entry.name().startsWith("."))
                .map(Entry::name)
                .min(NameOrder.BY_CODE_POINT)
                .map(name -> ". Files with other endings, such as " + name + ", are read if path names them: "
                        + folder.display(
                                name.lastIndexOf('.') < 0 ? name : "*" + name.substring(name.lastIndexOf('.'))))
                .orElse("");
    }

    /** Returns the path for the files in the folders below a folder, and for those of one split where they are of several. */
    private static String below(Storage folder, List<Entry> entries, List<String> extensions) throws IOException {
        List<String> names = new ArrayList<>();
        List<String> folders = entries.stream()
                .filter(entry -> entry.kind() == Kind.DIRECTORY && !entry.name().startsWith("."))
                .map(Entry::name)
                .sorted(NameOrder.BY_CODE_POINT)
                .limit(MOST_LISTED)
                .toList();
        for (String each : folders) {
            folder.list(each).stream()
                    .filter(entry -> entry.kind() == Kind.FILE && hasExtension(entry.name(), extensions))
                    .forEach(entry -> names.add(folder.display(each + "/" + entry.name())));
        }
        return SplitNames.pathOfOne(names)
                .map(path ->
                        path + " for one of the splits, " + folder.display("**/*." + extensions.get(0)) + " for all")
                .orElseGet(() -> folder.display("**/*." + extensions.get(0)));
    }

    /** Returns whether a file has one of the extensions, which may have two parts, as {@code jsonl.gz} has. */
    private static boolean hasExtension(String file, List<String> extensions) {
        String name = file.toLowerCase(Locale.ROOT);
        return extensions.contains(name.substring(name.lastIndexOf('.') + 1))
                || extensions.stream().anyMatch(extension -> name.endsWith("." + extension));
    }

    private static List<DataFile> requireDistinct(List<DataFile> files) throws DatasetException {
        Set<String> names = new HashSet<>();
        for (DataFile file : files) {
            if (!names.add(file.name())) {
                throw new DatasetException(
                        file.name() + " is named twice: expected each file once, because each sample is"
                                + " read once in an epoch");
            }
        }
        return files;
    }

    private static List<String> parse(Object raw) {
        List<String> paths = raw instanceof List<?>
                ? OptionType.listOf(OptionType.TEXT).parse(raw)
                : List.of(OptionType.TEXT.parse(raw));
        paths.forEach(Braces::expand);
        return paths;
    }
}

package io.millrace.dataset.files;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The recognition of splits, such as train and test, by the names of files and folders. A name is that of a split if it is its word
 * ({@code test.tar}), or its word with a number behind it ({@code train-00000-of-00002.parquet}), in any case.
 */
public final class SplitNames {
    /** The words for splits, and which of them name the same split. */
    private static final Map<String, String> SPLITS = Map.of(
            "train", "train",
            "training", "train",
            "test", "test",
            "testing", "test",
            "val", "validation",
            "valid", "validation",
            "validation", "validation",
            "dev", "validation",
            "eval", "validation");

    private static final Pattern NAME = Pattern.compile("([a-z]+)(?:[-_](?:\\d|of).*)?", Pattern.CASE_INSENSITIVE);

    /**
     * A split in a dataset.
     *
     * @param word its name as it is written
     * @param path the path that names its files alone
     */
    private record Split(String word, String path) {}

    private SplitNames() {}

    /**
     * Returns the sentence for folders of a dataset that are of several splits, which a folder or a pattern names together.
     *
     * @param paths the paths of the dataset in the pipeline file; what they name one by one is intended, so that there is no remark on it
     * @param names the names of all folders of the dataset
     */
    public static Optional<String> remarkOnFolders(List<String> paths, List<String> names) {
        return remark("folders", paths, names);
    }

    /** Returns the sentence for files of a dataset that are of several splits, as {@link #remarkOnFolders} does. */
    public static Optional<String> remarkOnFiles(List<String> paths, List<DataFile> files) {
        return remark(paths, files.stream().map(DataFile::name).toList());
    }

    /** Returns the sentence for files with these names. */
    static Optional<String> remark(List<String> paths, List<String> names) {
        return remark("files", paths, names);
    }

    private static Optional<String> remark(String what, List<String> paths, List<String> names) {
        Set<String> intended = new HashSet<>();
        for (String path : paths) {
            Braces.expand(path).forEach(each -> intended.add(each.replaceFirst("/+$", "")));
        }
        List<String> found = names.stream()
                .filter(name ->
                        !intended.contains(name) && !(word(last(name)) == null && intended.contains(folder(name))))
                .toList();
        Map<String, Split> splits = splits(found);
        return splits.size() < 2
                ? Optional.empty()
                : Optional.of("the names of the " + what + " are those of several splits, " + words(splits)
                        + ", which are read together. To read one split, write path: " + first(splits));
    }

    /**
     * Returns the sentence for folders of several splits that become classes.
     *
     * @param names the names of the class folders, in the folder of the dataset
     * @param folder the folder of the dataset
     */
    public static Optional<String> remarkOnClasses(String folder, List<String> names) {
        String root = folder.replaceFirst("/+$", "");
        Map<String, Split> splits =
                splits(names.stream().map(name -> root + "/" + name).toList());
        return splits.size() < 2
                ? Optional.empty()
                : Optional.of("the folders that become classes have the names of splits, " + words(splits)
                        + ". To read the class folders of one split, write path: " + first(splits));
    }

    /** Returns the path that names the files of one of several splits; empty unless the files are of several splits. */
    static Optional<String> pathOfOne(List<String> names) {
        Map<String, Split> splits = splits(names);
        return splits.size() < 2 ? Optional.empty() : Optional.of(first(splits));
    }

    private static String words(Map<String, Split> splits) {
        return String.join(" and ", splits.values().stream().map(Split::word).toList());
    }

    /** Returns the path of the split for training, or of any split where there is none. */
    private static String first(Map<String, Split> splits) {
        Split train = splits.get("train");
        return (train == null ? splits.values().iterator().next() : train).path();
    }

    private static Map<String, Split> splits(List<String> names) {
        Map<String, Split> splits = new TreeMap<>();
        for (String name : names) {
            String file = last(name);
            String word = word(file);
            if (word != null) {
                String path = name.substring(0, name.length() - file.length()) + pattern(file, word);
                splits.putIfAbsent(split(word), new Split(word, path));
                continue;
            }
            String folder = folder(name);
            String above = word(last(folder));
            if (above != null) {
                splits.putIfAbsent(split(above), new Split(above, folder));
            }
        }
        return splits;
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String folder(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private static String split(String word) {
        return SPLITS.getOrDefault(word.toLowerCase(Locale.ROOT), word);
    }

    /** Returns the word for a split with which a name begins; null where the name is not that of a split. */
    private static @Nullable String word(String name) {
        int dot = name.indexOf('.');
        Matcher matcher = NAME.matcher(dot < 0 ? name : name.substring(0, dot));
        return matcher.matches() && SPLITS.containsKey(matcher.group(1).toLowerCase(Locale.ROOT))
                ? matcher.group(1)
                : null;
    }

    /** Returns the pattern for all files of a split: {@code train-*.parquet} for train-00000-of-00002.parquet. */
    private static String pattern(String file, String word) {
        if (file.matches("\\w+(\\.\\w+)?") && file.indexOf('_') < 0) {
            return file; // the only file of its split
        }
        String begin = file.substring(0, word.length() + 1);
        int dot = file.lastIndexOf('.');
        return begin + "*" + (dot <= word.length() ? "" : file.substring(dot));
    }
}

package io.millrace.dataset.folder;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The option that names a file of values with a header, which lists the files of a folder and their labels.
 *
 * <p>Tested by {@code ListedFilesTest}.
 *
 * @param path the file, plain or with the extension {@code .gz}
 * @param file the column with the files' paths below the folder; empty if the values decide
 * @param label the column with the labels, or one column for each class, of which one is 1 and the others are 0; empty if the names
 *     of the columns decide
 * @param suffix the text that the paths lack, such as {@code .jpg}; empty if the folder decides
 */
record CsvLabels(String path, Optional<String> file, List<String> label, Optional<String> suffix) {
    private static final String PATH = "path";
    private static final String FILE = "file";
    private static final String LABEL = "label";
    private static final String SUFFIX = "suffix";
    private static final List<String> KEYS = List.of(PATH, FILE, LABEL, SUFFIX);

    /** The option. Without it, {@code labels.csv} in the folder is read if it exists. */
    static final Option<CsvLabels> OPTION = Option.of(
                    "labels",
                    OptionType.of("path, or {path, file, label, suffix}", CsvLabels::parse)
                            .ofPaths(CsvLabels::withPath),
                    "A CSV file with a header (separated by commas, semicolons or tabs; also .gz) that lists the files below path"
                            + " and their labels: train.csv, or {path: train.csv, file: image_id, label: breed, suffix: .jpg}"
                            + " with the names of its columns. A list of columns as label has a 1 in the column of the class.")
            .optional()
            .decides(Identity.BATCHES);

    private static CsvLabels parse(Object raw) {
        if (!(raw instanceof Map<?, ?> map)) {
            return new CsvLabels(OptionType.TEXT.parse(raw), Optional.empty(), List.of(), Optional.empty());
        }
        for (Object key : map.keySet()) {
            if (!KEYS.contains(key)) {
                throw OptionType.expected("the keys " + String.join(", ", KEYS), key);
            }
        }
        if (map.get(PATH) == null) {
            throw OptionType.expected("the key path with the file", raw);
        }
        Object label = map.get(LABEL);
        return new CsvLabels(
                OptionType.TEXT.parse(map.get(PATH)),
                Optional.<Object>ofNullable(map.get(FILE)).map(OptionType.TEXT::parse),
                label == null
                        ? List.of()
                        : label instanceof List<?>
                                ? OptionType.listOf(OptionType.TEXT).parse(label)
                                : List.of(OptionType.TEXT.parse(label)),
                Optional.<Object>ofNullable(map.get(SUFFIX)).map(OptionType.TEXT::parse));
    }

    private static Object withPath(Object raw, UnaryOperator<String> change) {
        if (raw instanceof Map<?, ?> map && map.get(PATH) instanceof String path) {
            Map<Object, Object> changed = new LinkedHashMap<>(map);
            changed.put(PATH, change.apply(path));
            return changed;
        }
        return raw instanceof String path ? change.apply(path) : raw;
    }

    /** Returns whether the labels are columns with a 1 for the class. */
    boolean oneHot() {
        return label.size() > 1;
    }
}

package io.millrace.dataset.files;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.Storage;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Finds the files that the path of a dataset means. */
public final class DataFiles {
    /** The path of formats that are made of files. */
    public static final Option<List<String>> PATH =
            Option.of("path", OptionType.of("path or list of paths", DataFiles::parse), "A file or a list of files.");

    private DataFiles() {}

    /**
     * The files, at least one, in the order of the paths.
     *
     * @throws DatasetException when one is missing, with a sentence for the user
     */
    public static List<DataFile> find(List<String> paths) throws IOException {
        List<DataFile> files = new ArrayList<>();
        for (String path : paths) {
            Storage storage = Storage.of(path);
            switch (storage.kind("")) {
                case MISSING -> throw new DatasetException("no such file: " + path);
                case DIRECTORY -> throw new DatasetException(path + " is a folder; expected a file");
                case FILE -> files.add(new DataFile(storage, ""));
            }
        }
        return files;
    }

    private static List<String> parse(Object raw) {
        return raw instanceof List<?>
                ? OptionType.listOf(OptionType.TEXT).parse(raw)
                : List.of(OptionType.TEXT.parse(raw));
    }
}

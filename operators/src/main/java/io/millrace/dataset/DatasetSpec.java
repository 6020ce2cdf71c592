package io.millrace.dataset;

import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.IOException;
import java.io.Serializable;
import java.util.Optional;

/**
 * Which dataset: the name of a format and its options. Travels to the tasks, which open it there.
 *
 * @param format a {@link DatasetFormat#name()}
 * @param options the values for {@link DatasetFormat#options()}
 * @param storage how its files are read where they are not on the task's machine
 */
public record DatasetSpec(String format, OptionValues options, StorageOptions storage) implements Serializable {
    /** A dataset whose files are read as by default. */
    public DatasetSpec(String format, OptionValues options) {
        this(format, options, StorageOptions.STANDARD);
    }

    /** Opens the dataset; the caller closes it. */
    public Dataset open() throws IOException {
        Optional<DatasetFormat> found = find();
        if (found.isEmpty()) {
            throw new DatasetException("no dataset format '" + format + "' on the class path");
        }
        return found.get().open(options, storage);
    }

    /** Returns whether the dataset is a folder with a file for each sample. */
    public boolean filePerSample() {
        return find().map(DatasetFormat::filePerSample).orElse(false);
    }

    private Optional<DatasetFormat> find() {
        for (DatasetFormat candidate : Services.of(DatasetFormat.class)) {
            if (candidate.name().equals(format)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /** What a person calls this dataset: its path where it has one. */
    public String path() {
        Object path = options.raw().get("path");
        return path == null ? format : path.toString();
    }
}

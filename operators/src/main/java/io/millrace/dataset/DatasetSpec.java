package io.millrace.dataset;

import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.IOException;
import java.io.Serializable;

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
        for (DatasetFormat candidate : Services.of(DatasetFormat.class)) {
            if (candidate.name().equals(format)) {
                return candidate.open(options, storage);
            }
        }
        throw new DatasetException("no dataset format '" + format + "' on the class path");
    }

    /** What a person calls this dataset: its path where it has one. */
    public String path() {
        Object path = options.raw().get("path");
        return path == null ? format : path.toString();
    }
}

package io.millrace.dataset;

import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.IOException;
import java.io.Serializable;
import java.util.Optional;

/**
 * The description of a dataset: the name of a format and its options. It travels to the tasks, which open the dataset.
 *
 * @param format a {@link DatasetFormat#name()}
 * @param options the values for {@link DatasetFormat#options()}
 * @param storage the options for reading files that are not on the task's machine
 */
public record DatasetSpec(String format, OptionValues options, StorageOptions storage) implements Serializable {
    /** Creates the description of a dataset with the default storage options. */
    public DatasetSpec(String format, OptionValues options) {
        this(format, options, StorageOptions.STANDARD);
    }

    /** Opens the dataset. The caller closes it. */
    public Dataset open() throws IOException {
        Optional<DatasetFormat> found = find();
        if (found.isEmpty()) {
            throw new DatasetException("no dataset format '" + format + "' on the class path");
        }
        DatasetFormat known = found.get();
        return GuardedDataset.open(known.place(options), () -> known.open(options, storage));
    }

    /** Returns whether the dataset is a folder with a file for each sample. */
    public boolean filePerSample() {
        return find().map(DatasetFormat::filePerSample).orElse(false);
    }

    /** Returns whether the format declares boxes or points, see {@link DatasetFormat#annotates}. */
    public boolean annotated() {
        return find().map(format -> format.annotates(options)).orElse(false);
    }

    private Optional<DatasetFormat> find() {
        for (DatasetFormat candidate : Services.of(DatasetFormat.class)) {
            if (candidate.name().equals(format)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /** Returns the dataset's name for people. */
    public String path() {
        return find().map(found -> found.place(options)).orElse(format);
    }
}

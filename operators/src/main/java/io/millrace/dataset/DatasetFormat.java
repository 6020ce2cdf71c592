package io.millrace.dataset;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.util.List;

/** A way of storing samples: opens datasets from what a pipeline file says of them. Found as a service; stateless. */
public interface DatasetFormat {
    /** The name in pipeline files, lower case. */
    String name();

    /** One line for the documentation. */
    String help();

    /** What a pipeline file may say beside {@code format}. */
    List<Option<?>> options();

    /** Whether pipeline files may name it; others are for use within the program. */
    default boolean offered() {
        return true;
    }

    /**
     * Returns the extensions of file names, lower case and without the dot, by which a path alone identifies this format,
     * for example {@code parquet}.
     */
    default List<String> extensions() {
        return List.of();
    }

    /** Returns whether a dataset of this format is a folder with a file for each sample. */
    default boolean filePerSample() {
        return false;
    }

    /**
     * Opens a dataset.
     *
     * @param storage how files are read that are not on this machine: for
     *     {@link io.millrace.dataset.storage.Storage#of(String, StorageOptions)}
     * @throws DatasetException when there is no such dataset, with a sentence for the user
     */
    Dataset open(OptionValues options, StorageOptions storage) throws IOException;

    /** As {@link #open(OptionValues, StorageOptions)}, with files read as by default. */
    default Dataset open(OptionValues options) throws IOException {
        return open(options, StorageOptions.STANDARD);
    }
}

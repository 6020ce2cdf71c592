package io.millrace.dataset;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.util.List;

/**
 * A format in which datasets are stored. It opens datasets with the options of a pipeline file. Implementations are
 * found as services and have no state.
 */
public interface DatasetFormat extends Choice {
    /** Returns the format's name in pipeline files, in lower case. */
    @Override
    String name();

    /** Returns the options that a pipeline file may set beside {@code format}. */
    @Override
    List<Option<?>> options();

    /** Returns whether pipeline files may name the format. Other formats are for use within the program. */
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

    /** Returns whether samples have boxes or points that the option {@code fields} does not declare, because the format itself knows them. */
    default boolean annotates(OptionValues options) {
        return false;
    }

    /** Returns whether a sample is a row of a table, so that samples without images are counted as rows. */
    default boolean storesRows() {
        return false;
    }

    /** Returns the name of a dataset for people: its option {@code path}, or the format's name when it has none. */
    default String place(OptionValues options) {
        Object path = options.raw().get("path");
        return path == null ? name() : path.toString();
    }

    /**
     * Opens a dataset.
     *
     * @param storage the options with which {@code Storage} reads files that are not on this machine
     * @throws DatasetException when there is no such dataset; the message is a sentence for the user
     */
    Dataset open(OptionValues options, StorageOptions storage) throws IOException;

    /** Opens a dataset as {@link #open(OptionValues, StorageOptions)} does, with the default storage options. */
    default Dataset open(OptionValues options) throws IOException {
        return open(options, StorageOptions.STANDARD);
    }
}

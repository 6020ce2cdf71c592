package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;
import java.util.function.Consumer;

/**
 * A component that a pipeline file names: a dataset format, a transform, a model, an optimizer.
 *
 * @param name the name in pipeline files
 * @param help one line for the documentation
 * @param options the options of the component
 * @param check throws {@link IllegalArgumentException} when values that are valid one by one are inconsistent
 */
public record CatalogEntry(String name, String help, List<Option<?>> options, Consumer<OptionValues> check) {
    public CatalogEntry {
        options = List.copyOf(options);
    }

    /** Creates an entry whose options are independent of each other. */
    public CatalogEntry(String name, String help, List<Option<?>> options) {
        this(name, help, options, values -> {});
    }
}

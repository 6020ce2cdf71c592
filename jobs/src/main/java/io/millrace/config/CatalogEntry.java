package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.util.List;
import java.util.function.Consumer;

/**
 * Something that a pipeline file picks by name: a dataset format, a transform, a model, an optimizer.
 *
 * @param name as written in the file
 * @param help one line for the documentation
 * @param options what may be said under the name
 * @param check throws {@link IllegalArgumentException} when values that are fine one by one do not go together
 */
public record CatalogEntry(String name, String help, List<Option<?>> options, Consumer<OptionValues> check) {
    public CatalogEntry {
        options = List.copyOf(options);
    }

    /** A choice whose options have no rule between them. */
    public CatalogEntry(String name, String help, List<Option<?>> options) {
        this(name, help, options, values -> {});
    }
}

package io.millrace.config;

import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;
import java.util.function.Consumer;

/**
 * A component that a pipeline file names: a dataset format, a transform, a model, an optimizer.
 *
 * @param name the name in pipeline files
 * @param help one line for the documentation
 * @param options the options of the component
 * @param check throws {@link IllegalArgumentException} when values that are valid one by one are inconsistent
 * @param otherNames the names that other programs have for it, for hints
 */
public record CatalogEntry(
        String name, String help, List<Option<?>> options, Consumer<OptionValues> check, List<OtherName> otherNames) {
    public CatalogEntry {
        options = List.copyOf(options);
        otherNames = List.copyOf(otherNames);
    }

    /** Creates an entry without other names. */
    public CatalogEntry(String name, String help, List<Option<?>> options, Consumer<OptionValues> check) {
        this(name, help, options, check, List.of());
    }

    /** Creates the entry of a component with a check of its values. */
    static CatalogEntry of(Choice choice, Consumer<OptionValues> check) {
        return new CatalogEntry(choice.name(), choice.help(), choice.options(), check, choice.alsoCalled());
    }

    /** Creates the entry of a component whose options are independent of each other. */
    static CatalogEntry of(Choice choice) {
        return of(choice, values -> {});
    }
}

package io.millrace.config;

import io.millrace.option.OptionType;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The place of the weights of samples: a file, written as its path, or a field of the samples, written as {@code {field: quality}}.
 *
 * @param isField whether {@code name} is the name of a field, and not the path of a file
 */
public record WeightSource(boolean isField, String name) {
    private static final String FIELD = "field";

    /** The type of an option. */
    static final OptionType<WeightSource> TYPE =
            OptionType.of("path | {field: name}", WeightSource::parse).writtenAs(WeightSource::written);

    private static WeightSource parse(Object raw) {
        if (raw instanceof String text && !text.isBlank()) {
            return new WeightSource(false, text);
        }
        if (raw instanceof Map<?, ?> map && map.size() == 1 && map.get(FIELD) != null) {
            return new WeightSource(true, OptionType.TEXT.parse(map.get(FIELD)));
        }
        throw OptionType.expected("the path of a file, or a field such as {field: quality}", raw);
    }

    private Object written() {
        return isField ? Map.of(FIELD, name) : name;
    }

    /** Returns the same place with another path of the file. */
    WeightSource withPath(UnaryOperator<String> change) {
        return isField ? this : new WeightSource(false, change.apply(name));
    }
}

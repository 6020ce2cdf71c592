package io.millrace.dataset.fields;

import io.millrace.option.OptionValues;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a dataset reads of each sample.
 *
 * @param fields all but the label
 * @param label empty where the samples have none: then it is {@link Labels#NONE}
 * @param chosen whether the pipeline file names them; if not, they are what the format reads by itself
 */
public record FieldSelection(List<FieldSource> fields, Optional<FieldSource> label, boolean chosen)
        implements Serializable {

    public FieldSelection {
        fields = List.copyOf(fields);
    }

    /**
     * What {@link FieldSources#FIELDS} says, or else the format's own. A name alone that the format knows, as {@code image},
     * is stored as the format stores it.
     */
    public static FieldSelection of(OptionValues options, List<FieldSource> defaults) {
        Optional<List<FieldSource>> named = options.find(FieldSources.FIELDS);
        List<FieldSource> fields = new ArrayList<>();
        FieldSource label = null;
        for (FieldSource source : named.orElse(defaults)) {
            FieldSource resolved = source.from().equals(source.name()) ? stored(source, defaults) : source;
            if (source.name().equals(FieldSource.LABEL)) {
                label = resolved;
            } else {
                fields.add(resolved);
            }
        }
        return new FieldSelection(fields, Optional.ofNullable(label), named.isPresent());
    }

    private static FieldSource stored(FieldSource source, List<FieldSource> defaults) {
        for (FieldSource known : defaults) {
            if (known.name().equals(source.name())) {
                return source.as() == FieldSource.As.AUTO
                        ? known
                        : new FieldSource(source.name(), known.from(), source.as());
            }
        }
        return source;
    }
}

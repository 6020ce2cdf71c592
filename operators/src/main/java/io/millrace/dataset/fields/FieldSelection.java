package io.millrace.dataset.fields;

import io.millrace.option.OptionValues;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The fields that a dataset reads of each sample.
 *
 * @param fields all fields except the label
 * @param label the source of the label; empty when the samples have no label, in which case every label is
 *     {@link Labels#NONE}
 * @param chosen whether the pipeline file names the fields; otherwise they are the format's defaults
 */
public record FieldSelection(List<FieldSource> fields, Optional<FieldSource> label, boolean chosen)
        implements Serializable {

    public FieldSelection {
        fields = List.copyOf(fields);
    }

    /**
     * Returns the fields that {@link FieldSources#FIELDS} names, or else the format's defaults. A name without a
     * source, such as {@code image}, is read from the source that the format has for that name.
     */
    public static FieldSelection of(OptionValues options, List<FieldSource> defaults) {
        Optional<List<FieldSource>> named = options.find(FieldSources.FIELDS);
        List<FieldSource> fields = new ArrayList<>();
        FieldSource label = null;
        for (FieldSource source : named.orElse(defaults)) {
            FieldSource resolved = source.from().equals(source.name()) ? withDefaultSource(source, defaults) : source;
            if (source.name().equals(FieldSource.LABEL)) {
                label = resolved;
            } else {
                fields.add(resolved);
            }
        }
        return new FieldSelection(fields, Optional.ofNullable(label), named.isPresent());
    }

    private static FieldSource withDefaultSource(FieldSource source, List<FieldSource> defaults) {
        for (FieldSource candidate : defaults) {
            if (candidate.name().equals(source.name())) {
                return source.as() == FieldSource.As.AUTO ? candidate : source.withFrom(candidate.from());
            }
        }
        return source;
    }
}

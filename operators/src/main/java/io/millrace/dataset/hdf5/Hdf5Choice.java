package io.millrace.dataset.hdf5;

import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The choice of the datasets that are read: those that the pipeline file names, or otherwise {@code images} and, if it
 * exists, {@code labels}.
 */
record Hdf5Choice(OptionValues options) {
    private static final String IMAGES = "images";
    private static final String LABELS = "labels";

    FieldSelection selection(Set<String> present) {
        List<FieldSource> defaults = new ArrayList<>();
        defaults.add(new FieldSource(Sample.IMAGE, present.contains(Sample.IMAGE) ? Sample.IMAGE : IMAGES, As.AUTO));
        for (String label : List.of(LABELS, FieldSource.LABEL)) {
            if (present.contains(label) && defaults.size() == 1) {
                defaults.add(new FieldSource(FieldSource.LABEL, label, As.AUTO));
            }
        }
        return FieldSelection.of(options, defaults);
    }

    /** Returns the names of the datasets, each once. */
    List<String> names(Set<String> present) {
        FieldSelection selection = selection(present);
        List<String> names = new ArrayList<>();
        selection.fields().forEach(source -> names.add(source.from()));
        selection.label().ifPresent(source -> names.add(source.from()));
        return names.stream().distinct().toList();
    }
}

package io.millrace.transform;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;

/** Access to fields of numbers. */
final class NumberFields {
    private NumberFields() {}

    /**
     * Returns the numbers of a field.
     *
     * @param transform the name of the transform that needs them, for messages
     * @throws IllegalStateException when the field is encoded or a text: the pipeline is wrong, not the sample
     */
    static Field of(Sample sample, String name, String transform) {
        Field field = sample.field(name);
        String problem = field.dtype() == DType.ENCODED
                ? "still encoded: 'decode' is missing before " + transform
                : field.kind() == FieldKind.TEXT
                        ? "a text: 'tokenize' makes numbers of it, and 'as: ragged' in the fields of the dataset reads its bytes"
                        : "";
        if (!problem.isEmpty()) {
            throw new IllegalStateException(
                    transform + " works on numbers, but '" + name + "' of " + sample.key() + " is " + problem);
        }
        return field;
    }
}

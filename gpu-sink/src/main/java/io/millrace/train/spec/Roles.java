package io.millrace.train.spec;

import io.millrace.sample.Sample;
import java.io.Serializable;
import java.util.List;

/**
 * What a batch's fields are to the model.
 *
 * @param inputs the columns that are the model's inputs, in its order, at least one
 * @param target what the loss compares the model's outputs with: a column, or {@link #LABEL}
 */
public record Roles(List<String> inputs, String target) implements Serializable {
    /** The samples' labels, unless a column is called so. */
    public static final String LABEL = "label";

    /** Images and their labels. */
    public static final Roles DEFAULT = new Roles(List.of(Sample.IMAGE), LABEL);

    public Roles {
        inputs = List.copyOf(inputs);
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("a model needs at least one input");
        }
    }
}

package io.millrace.train.spec;

import io.millrace.sample.Sample;
import java.io.Serializable;
import java.util.List;

/**
 * The roles of a batch's fields: which of them the model reads, and which one is the target.
 *
 * @param inputs the columns that are the model's inputs, in the model's order, at least one
 * @param target the column with which the loss compares the model's outputs, or {@link #LABEL}
 */
public record Roles(List<String> inputs, String target) implements Serializable {
    /** The target that means the samples' labels, unless a column has this name. */
    public static final String LABEL = "label";

    /** The roles of images with labels. */
    public static final Roles DEFAULT = new Roles(List.of(Sample.IMAGE), LABEL);

    public Roles {
        inputs = List.copyOf(inputs);
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("a model needs at least one input");
        }
    }
}

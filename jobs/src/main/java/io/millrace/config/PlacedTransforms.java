package io.millrace.config;

import io.millrace.transform.TransformSpec;
import java.io.Serializable;
import java.util.List;

/**
 * The ends of the lists of transforms for samples that are done on the device, once it is decided which.
 *
 * @param train of {@code transforms}, in order
 * @param evaluate of {@code evaluate.transforms}, likewise; those of training where nothing is evaluated
 * @param told where each transform is whose place the file says something about, and why
 */
public record PlacedTransforms(List<TransformSpec> train, List<TransformSpec> evaluate, List<Told> told) {
    /** None. */
    public static final PlacedTransforms NONE = new PlacedTransforms(List.of(), List.of(), List.of());

    public PlacedTransforms {
        train = List.copyOf(train);
        evaluate = List.copyOf(evaluate);
        told = List.copyOf(told);
    }

    /**
     * A decision.
     *
     * @param transform its name, with its key before it, as {@code evaluate.transforms.1.Resize}
     * @param place server or device
     * @param reason why, in words
     */
    public record Told(String transform, String place, String reason) implements Serializable {}
}

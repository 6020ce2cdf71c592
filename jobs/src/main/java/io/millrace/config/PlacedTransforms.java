package io.millrace.config;

import io.millrace.transform.TransformSpec;
import java.io.Serializable;
import java.util.List;

/**
 * The transforms of samples that run on the device. They are the last transforms of their lists.
 *
 * @param train the last of {@code transforms}, in order
 * @param evaluate the last of {@code evaluate.transforms}, in order; the same as {@code train} when nothing is evaluated
 * @param decisions the places of the transforms for which the file has a {@code place}
 */
public record PlacedTransforms(List<TransformSpec> train, List<TransformSpec> evaluate, List<PlaceDecision> decisions) {
    /** No transforms on the device. */
    public static final PlacedTransforms NONE = new PlacedTransforms(List.of(), List.of(), List.of());

    public PlacedTransforms {
        train = List.copyOf(train);
        evaluate = List.copyOf(evaluate);
        decisions = List.copyOf(decisions);
    }

    /**
     * The decision about the place of a transform.
     *
     * @param transform the path of the transform, such as {@code evaluate.transforms.1.Resize}
     * @param place server or device
     * @param reason the reason, for people
     */
    public record PlaceDecision(String transform, String place, String reason) implements Serializable {}
}

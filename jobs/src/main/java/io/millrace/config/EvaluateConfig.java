package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.transform.TransformSpec;
import java.util.List;

/**
 * Evaluation on a second dataset between epochs.
 *
 * @param transforms for its samples, in place of those for training
 * @param every evaluate after every so many epochs
 */
public record EvaluateConfig(DatasetConfig dataset, List<TransformSpec> transforms, int every) {
    static final Option<Object> DATASET = Option.of(
            "dataset",
            Types.structure("dataset"),
            "The samples to evaluate with; keys as those of dataset, without epochs.");
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms",
                    Types.structure("list of transforms"),
                    "What is done to each of these samples, in order.")
            .optional();
    static final Option<Integer> EVERY = Option.of("every", Types.atLeast(1), "Evaluate after every so many epochs.")
            .orElse(1);
    static final List<Option<?>> OPTIONS = List.of(DATASET, TRANSFORMS, EVERY);

    public EvaluateConfig {
        transforms = List.copyOf(transforms);
    }
}

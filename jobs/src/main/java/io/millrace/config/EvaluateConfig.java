package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Optional;

/**
 * Evaluation on a second dataset between epochs.
 *
 * @param transforms the transforms of each evaluation sample, in place of those for training
 * @param every the number of epochs from one evaluation to the next, at least 1
 */
public record EvaluateConfig(DatasetConfig dataset, List<TransformSpec> transforms, int every) {
    static final Option<Object> SECTION = Option.of(
                    "evaluate", Types.structure("section"), "Evaluation between epochs; absent: no evaluation.")
            .optional();
    static final Option<Object> DATASET = Option.of(
            "dataset",
            Types.structure("dataset"),
            "The samples to evaluate with. The keys are those of dataset, without epochs.");
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms",
                    Types.structure("list of transforms"),
                    "The transforms of each evaluation sample, in order.")
            .optional()
            .decides(Identity.TRAINING);
    static final Option<Integer> EVERY = Option.of(
                    "every", Types.atLeast(1), "The number of epochs from one evaluation to the next.")
            .orElse(1)
            .decides(Identity.TRAINING);
    static final List<Option<?>> OPTIONS = List.of(DATASET, TRANSFORMS, EVERY);

    public EvaluateConfig {
        transforms = List.copyOf(transforms);
    }

    /**
     * Reads the section; empty when a problem was reported.
     *
     * @param epochs the number of epochs of the run
     */
    static Optional<EvaluateConfig> read(Section section, int epochs) {
        Optional<DatasetConfig> dataset = DatasetConfig.read(section, DATASET, DatasetConfig.OPTIONS);
        Optional<List<TransformSpec>> transforms = section.transforms(TRANSFORMS);
        int every = section.get(EVERY);
        if (every > epochs) {
            section.report(
                    EVERY,
                    "expected at most the number of epochs, " + epochs + ", else nothing is evaluated; found " + every);
        }
        if (dataset.isEmpty() || transforms.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new EvaluateConfig(dataset.get(), transforms.get(), every));
    }

    /**
     * Writes the section.
     *
     * @param onDevice the last of the file's transforms, if they run on the device
     */
    void write(WrittenConfig section, List<TransformSpec> onDevice) {
        section.section(DATASET, dataset, DatasetConfig::write)
                .transforms(TRANSFORMS, transforms, onDevice)
                .put(EVERY, every);
    }

    /** Returns the same evaluation on another dataset. */
    EvaluateConfig withDataset(DatasetConfig other) {
        return new EvaluateConfig(other, transforms, every);
    }

    /** Returns the same evaluation with other transforms. */
    EvaluateConfig withTransforms(List<TransformSpec> others) {
        return new EvaluateConfig(dataset, others, every);
    }
}

package io.millrace.config;

import io.millrace.dataset.PartSpec;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Optional;

/**
 * Evaluation on a second dataset, or on another part of the training dataset, between epochs.
 *
 * @param part the name of the part of the training dataset that {@code dataset} is; empty when the dataset has a section of its own
 * @param transforms the transforms of each evaluation sample, in place of those for training
 * @param every the number of epochs from one evaluation to the next, at least 1
 */
public record EvaluateConfig(DatasetConfig dataset, Optional<String> part, List<TransformSpec> transforms, int every) {
    static final Option<Object> SECTION = Option.of(
                    "evaluate", Types.structure("section"), "Evaluation between epochs; absent: no evaluation.")
            .optional();
    static final Option<Object> DATASET = Option.of(
                    "dataset",
                    Types.structure("dataset"),
                    "The samples to evaluate with. The keys are those of dataset, without epochs. Either this key or part is"
                            + " required.")
            .optional();
    static final Option<String> PART = Option.of(
                    "part",
                    Types.name(),
                    "The part of the training dataset to evaluate with, one of dataset.parts, in place of a dataset.")
            .optional()
            .decides(Identity.TRAINING);
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms",
                    Types.structure("list of transforms"),
                    "The transforms of each evaluation sample, in order.")
            .optional()
            .decides(Identity.TRAINING);
    static final Option<Integer> EVERY = Option.of(
                    "every",
                    Types.atLeast(1),
                    "The number of epochs from one evaluation to the next. The loop of a served run asks for the evaluation"
                            + " when it likes; at the end of these epochs its first batches are ready.")
            .orElse(1)
            .decides(Identity.TRAINING);
    static final List<Option<?>> OPTIONS = List.of(DATASET, PART, TRANSFORMS, EVERY);

    public EvaluateConfig {
        transforms = List.copyOf(transforms);
    }

    /**
     * Reads the section; empty when a problem was reported.
     *
     * @param epochs the number of epochs of the run
     * @param training the training samples; empty when a problem with them was reported
     * @param parts the names of the parts of the training dataset, also when a problem with it was reported
     */
    static Optional<EvaluateConfig> read(
            Section section, int epochs, Optional<DataConfig> training, List<String> parts) {
        Optional<String> part = section.find(PART);
        if (training.isEmpty() && part.isPresent() && !parts.isEmpty() && !parts.contains(part.get())) {
            section.report(PART, PartSpec.unknown(parts, part.get()));
        }
        Optional<DatasetConfig> dataset =
                part.isPresent() ? training.flatMap(found -> ofPart(section, part.get(), found)) : ownDataset(section);
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
        return Optional.of(new EvaluateConfig(dataset.get(), part, transforms.get(), every));
    }

    private static Optional<DatasetConfig> ownDataset(Section section) {
        if (section.entry(DATASET).isEmpty()) {
            section.report(DATASET, "missing: " + DATASET.help());
            return Optional.empty();
        }
        return DatasetConfig.read(section, DATASET, DatasetConfig.OPTIONS);
    }

    /** Returns another part of the training dataset; empty when a problem was reported. */
    private static Optional<DatasetConfig> ofPart(Section section, String name, DataConfig data) {
        if (data.mix().isPresent()) {
            section.report(
                    PART,
                    "expected dataset in place of part, because a mixture has no single dataset, found '" + name + "'");
            return Optional.empty();
        }
        DatasetConfig training = data.dataset();
        if (section.entry(DATASET).isPresent()) {
            section.report(PART, "expected either part or dataset, found both");
            return Optional.empty();
        }
        PartSpec trained = training.spec().part();
        if (trained == null) {
            section.report(
                    PART,
                    "expected a training dataset with parts, as in dataset: {part: train, parts: {train: 0.9, validation:"
                            + " 0.1}}, found one without");
            return Optional.empty();
        }
        if (trained.name().equals(name)) {
            section.report(
                    PART,
                    "expected another part than dataset.part, because a run must not evaluate with the samples that it trains"
                            + " on, found '" + name + "'");
            return Optional.empty();
        }
        try {
            return Optional.of(training.withPart(trained.named(name)));
        } catch (IllegalArgumentException e) {
            section.report(PART, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /**
     * Writes the section.
     *
     * @param onDevice the last of the file's transforms, if they run on the device
     */
    void write(WrittenConfig section, List<TransformSpec> onDevice) {
        if (part.isEmpty()) {
            section.section(DATASET, dataset, DatasetConfig::write);
        }
        section.put(PART, part).transforms(TRANSFORMS, transforms, onDevice).put(EVERY, every);
    }

    /** Returns the same evaluation on another dataset. */
    EvaluateConfig withDataset(DatasetConfig other) {
        return new EvaluateConfig(other, part, transforms, every);
    }

    /** Returns the same evaluation with other transforms. */
    EvaluateConfig withTransforms(List<TransformSpec> others) {
        return new EvaluateConfig(dataset, part, others, every);
    }
}

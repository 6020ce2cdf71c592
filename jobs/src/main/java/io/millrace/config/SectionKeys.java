package io.millrace.config;

import io.millrace.option.Option;
import java.util.List;
import java.util.Optional;

/**
 * A section of the file and what it may say, for the documentation and for hints.
 *
 * @param path empty for the whole file
 */
record SectionKeys(String path, String help, List<Option<?>> options) {
    /** All of them, in the order of the documentation. */
    static List<SectionKeys> all() {
        List<Option<?>> dataset = List.of(DatasetConfig.FORMAT, PipelineConfig.EPOCHS, DatasetConfig.GENERATE);
        return List.of(
                new SectionKeys("", "The keys of a pipeline file.", PipelineConfig.OPTIONS),
                of(PipelineConfig.DATASET, dataset),
                of(PipelineConfig.ORDER, OrderConfig.OPTIONS),
                of(PipelineConfig.BATCH, BatchConfig.OPTIONS),
                of(PipelineConfig.READ, ReadConfig.OPTIONS),
                of(PipelineConfig.DEVICE, DeviceConfig.OPTIONS),
                of(PipelineConfig.TRAIN, TrainConfig.OPTIONS),
                new SectionKeys(
                        YamlTree.join(PipelineConfig.TRAIN.key(), TrainConfig.RANKS.key()),
                        TrainConfig.RANKS.help(),
                        RankConfig.OPTIONS),
                of(PipelineConfig.EVALUATE, EvaluateConfig.OPTIONS),
                of(PipelineConfig.PLACEMENT, PlacementConfig.OPTIONS),
                of(PipelineConfig.CHECKPOINT, CheckpointConfig.OPTIONS),
                of(PipelineConfig.RESTART, RestartConfig.OPTIONS),
                of(PipelineConfig.RUN, RunConfig.OPTIONS),
                of(PipelineConfig.STORAGE, StorageConfig.OPTIONS),
                new SectionKeys(
                        YamlTree.join(PipelineConfig.STORAGE.key(), StorageConfig.CACHE.key()),
                        StorageConfig.CACHE.help(),
                        StorageConfig.CACHE_OPTIONS));
    }

    private static SectionKeys of(Option<?> section, List<Option<?>> options) {
        return new SectionKeys(section.key(), section.help(), options);
    }

    /** A hint for a key that is unknown in the section {@code path} and known in others. */
    static Optional<String> elsewhere(String key, String path) {
        List<String> places = all().stream()
                .filter(section -> !section.path.equals(path)
                        && Option.keys(section.options).contains(key))
                .map(section -> "'" + YamlTree.join(section.path, key) + "'")
                .toList();
        return places.isEmpty() ? Optional.empty() : Optional.of("did you mean " + String.join(" or ", places) + "?");
    }
}

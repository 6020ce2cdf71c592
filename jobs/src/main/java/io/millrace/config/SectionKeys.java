package io.millrace.config;

import io.millrace.option.Option;
import java.util.List;
import java.util.Optional;

/**
 * A section of the file and its keys, for the documentation and for hints.
 *
 * @param path the path of the section, empty for the whole file
 */
record SectionKeys(String path, String help, List<Option<?>> options) {
    /** Returns all sections, in the order of the documentation. */
    static List<SectionKeys> all() {
        return List.of(
                new SectionKeys("", "The keys of a pipeline file.", PipelineConfig.OPTIONS),
                of(DataConfig.DATASET, DataConfig.DATASET_OPTIONS),
                new SectionKeys(
                        YamlTree.join(SourceConfig.SECTION.key(), "<name>"),
                        "A dataset of a mixture.",
                        SourceConfig.OPTIONS),
                of(MixConfig.MIX, MixConfig.PHASE_OPTIONS),
                of(OrderConfig.SECTION, OrderConfig.KEYS.options()),
                of(BatchConfig.SECTION, BatchConfig.KEYS.options()),
                of(ReadConfig.SECTION, ReadConfig.KEYS.options()),
                of(PythonConfig.SECTION, PythonConfig.OPTIONS),
                of(DeviceConfig.SECTION, DeviceConfig.OPTIONS),
                of(TrainConfig.SECTION, TrainConfig.OPTIONS),
                within(TrainConfig.SECTION, TrainersConfig.OWN, RankConfig.OPTIONS),
                of(EvaluateConfig.SECTION, EvaluateConfig.OPTIONS),
                of(PlacementConfig.SECTION, PlacementConfig.KEYS.options()),
                of(CheckpointConfig.SECTION, CheckpointConfig.KEYS.options()),
                of(RestartConfig.SECTION, RestartConfig.KEYS.options()),
                of(RunConfig.SECTION, RunConfig.OPTIONS),
                of(StorageConfig.SECTION, StorageConfig.OPTIONS),
                within(StorageConfig.SECTION, StorageConfig.CACHE, StorageConfig.CACHE_OPTIONS));
    }

    private static SectionKeys of(Option<?> section, List<Option<?>> options) {
        return new SectionKeys(section.key(), section.help(), options);
    }

    private static SectionKeys within(Option<?> parent, Option<?> section, List<Option<?>> options) {
        return new SectionKeys(YamlTree.join(parent.key(), section.key()), section.help(), options);
    }

    /** Returns a hint for a key that is unknown in the section {@code path} and known in others. */
    static Optional<String> elsewhere(String key, String path) {
        List<String> paths = all().stream()
                .filter(section -> !section.path.equals(path)
                        && Option.keys(section.options).contains(key))
                .map(section -> YamlTree.join(section.path, key))
                .toList();
        if (paths.isEmpty()) {
            paths = all().stream()
                    .flatMap(section -> section.options.stream()
                            .flatMap(option -> option.otherNames().stream())
                            .filter(other -> other.is(key))
                            .map(other -> YamlTree.join(section.path, other.written())))
                    .toList();
        }
        return paths.isEmpty() ? Optional.empty() : Optional.of(Spelling.question(paths));
    }
}

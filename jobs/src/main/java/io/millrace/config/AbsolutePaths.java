package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StorageOptions.CacheOptions;
import io.millrace.train.spec.TrainSpec.Part;
import java.nio.file.Path;
import java.util.Set;

/** Makes the paths of a pipeline absolute. Pure, but for the working directory. */
final class AbsolutePaths {
    /** The options of formats and models that are paths. */
    private static final Set<String> KEYS = Set.of("path", "images", "labels", "index_cache");

    /** What {@code index_cache} may say instead of a folder. */
    private static final Set<String> WORDS = Set.of("auto", "none");

    private static final String SCHEME_END = "://";

    private AbsolutePaths() {}

    static PipelineConfig of(PipelineConfig config) {
        return new PipelineConfig(
                config.name(),
                dataset(config.dataset()),
                config.epochs(),
                config.order(),
                config.stages(),
                config.parallelism(),
                config.auto(),
                config.transforms(),
                config.batch(),
                config.read(),
                config.device(),
                train(config.train()),
                config.evaluate()
                        .map(evaluate -> new EvaluateConfig(
                                dataset(evaluate.dataset()), evaluate.transforms(), evaluate.every())),
                config.trainers(),
                config.placement(),
                config.recovery(),
                new RunConfig(
                        config.run().folder().toAbsolutePath().normalize(),
                        config.run().webPort(),
                        config.run().events()),
                config.flink());
    }

    private static DatasetConfig dataset(DatasetConfig dataset) {
        DatasetSpec spec = dataset.spec();
        return new DatasetConfig(
                new DatasetSpec(
                        spec.format(), spec.options().mapText(KEYS, AbsolutePaths::path), storage(spec.storage())),
                dataset.generate());
    }

    private static StorageOptions storage(StorageOptions storage) {
        CacheOptions cache = storage.cache();
        return new StorageOptions(
                storage.requests(),
                storage.chunkBytes(),
                storage.retries(),
                storage.timeout(),
                cache == null ? null : new CacheOptions(path(cache.folder()), cache.bytes()));
    }

    private static TrainConfig train(TrainConfig train) {
        return new TrainConfig(
                model(train.model()),
                train.roles(),
                train.loss(),
                train.optimizer(),
                train.schedule(),
                train.updates(),
                train.threads(),
                train.seed(),
                train.ranks().stream()
                        .map(rank -> new RankConfig(
                                rank.model().map(AbsolutePaths::model),
                                rank.optimizer(),
                                rank.schedule(),
                                rank.accumulate(),
                                rank.clipNorm(),
                                rank.seed()))
                        .toList());
    }

    private static Part model(Part model) {
        return new Part(model.name(), model.options().mapText(KEYS, AbsolutePaths::path));
    }

    private static String path(String text) {
        return WORDS.contains(text) || text.contains(SCHEME_END)
                ? text
                : Path.of(text).toAbsolutePath().normalize().toString();
    }
}

package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StorageOptions.CacheOptions;
import io.millrace.train.spec.Component;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** The conversion of a pipeline's relative paths, which refer to the working directory, to absolute paths. */
final class AbsolutePaths {
    /** The options of formats and models whose values are paths. */
    private static final Set<String> KEYS = Set.of("path", "images", "labels", "index_cache");

    /** The values of {@code index_cache} that are not folders. */
    private static final Set<String> WORDS = Set.of("auto", "none");

    private static final String SCHEME_END = "://";

    private AbsolutePaths() {}

    static PipelineConfig of(PipelineConfig config) {
        return config.with(config.data().withDataset(dataset(config.data().dataset())))
                .withEvaluate(config.evaluate().map(evaluate -> evaluate.withDataset(dataset(evaluate.dataset()))))
                .with(train(config.train()))
                .with(config.run()
                        .withFolder(config.run().folder().toAbsolutePath().normalize()));
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
                cache == null ? null : new CacheOptions(path(cache.folder()), cache.bytes()),
                storage.followLinks());
    }

    private static TrainConfig train(TrainConfig train) {
        TrainersConfig trainers = train.trainers();
        return train.withModel(model(train.recipe().model()))
                .withTrainers(trainers.withOwn(
                        trainers.own().stream().map(AbsolutePaths::rank).toList()));
    }

    private static RankConfig rank(RankConfig rank) {
        Optional<Component> model = rank.model().map(AbsolutePaths::model);
        return rank.withModel(model);
    }

    private static Component model(Component model) {
        return new Component(model.name(), model.options().mapText(KEYS, AbsolutePaths::path));
    }

    private static String path(String text) {
        return WORDS.contains(text) || text.contains(SCHEME_END)
                ? text
                : Path.of(text).toAbsolutePath().normalize().toString();
    }
}

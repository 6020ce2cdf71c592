package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StorageOptions.CacheOptions;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.util.List;

/** The conversion of a pipeline's relative paths, which refer to the working directory, to absolute paths. */
final class AbsolutePaths {
    private static final String SCHEME_END = "://";

    private AbsolutePaths() {}

    static PipelineConfig of(PipelineConfig config) {
        DataConfig data = config.data();
        return config.with(data.withSources(
                                source -> source.with(dataset(source.dataset()), transforms(source.transforms())))
                        .withTransforms(transforms(data.transforms()))
                        .with(data.order().withPaths(AbsolutePaths::path)))
                .withEvaluate(config.evaluate().map(evaluate -> evaluate.withDataset(dataset(evaluate.dataset()))
                        .withTransforms(transforms(evaluate.transforms()))))
                .with(train(config.train()))
                .with(config.run()
                        .withFolder(config.run().folder().toAbsolutePath().normalize()));
    }

    private static DatasetConfig dataset(DatasetConfig dataset) {
        DatasetSpec spec = dataset.spec().with(storage(dataset.spec().storage()));
        String subset = spec.subset();
        DatasetSpec named = subset == null ? spec : spec.withSubset(path(subset));
        return new DatasetConfig(named.with(spec.options().withPaths(AbsolutePaths::path)), dataset.generate());
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
        return train.with(train.recipe().with(AbsolutePaths::component))
                .withTrainers(trainers.withOwn(
                        trainers.own().stream().map(AbsolutePaths::rank).toList()));
    }

    private static RankConfig rank(RankConfig rank) {
        return rank.withModel(rank.model().map(AbsolutePaths::component));
    }

    private static Component component(Component component) {
        return new Component(component.name(), component.options().withPaths(AbsolutePaths::path));
    }

    private static List<TransformSpec> transforms(List<TransformSpec> transforms) {
        return transforms.stream()
                .map(spec -> new TransformSpec(spec.name(), spec.options().withPaths(AbsolutePaths::path)))
                .toList();
    }

    private static String path(String text) {
        return text.contains(SCHEME_END)
                ? text
                : Path.of(text).toAbsolutePath().normalize().toString();
    }
}

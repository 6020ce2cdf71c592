package io.millrace.diagnosis.ladder;

import io.millrace.config.DatasetConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.transform.TransformSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pipelines of the rungs. They leave out evaluation and checkpoints, which are not stages of the training data, and
 * they train for longer than any measurement. Pure.
 */
public final class RungPipelines {
    /**
     * The number of epochs. It is finite because some schedules need the end of the run, and small enough for positions
     * to fit a {@code long}.
     */
    private static final int EPOCHS = 100_000;

    private RungPipelines() {}

    /** Returns the pipeline with more epochs than any measurement needs, and otherwise unchanged. */
    public static PipelineConfig longer(PipelineConfig config) {
        return config.with(config.data().withEpochs(EPOCHS));
    }

    /** Returns whether the lowest rung of the ladder is the pipeline itself: it has no evaluation and no checkpoints. */
    public static boolean isLowestRung(PipelineConfig config) {
        return config.evaluate().isEmpty() && config.recovery().checkpoint().isEmpty();
    }

    /** Returns the pipeline of the lowest rung, which caches nothing. */
    static PipelineConfig whole(PipelineConfig config) {
        return longer(config)
                .withEvaluate(Optional.empty())
                .with(config.recovery().withoutCheckpoints());
    }

    /**
     * Returns a pipeline that reads samples from a cache and applies the transforms after it.
     *
     * @param dataset the dataset with the cached samples
     * @param done the number of transforms that the cached samples have passed, at least 0
     */
    static PipelineConfig cached(PipelineConfig config, DatasetSpec dataset, int done) {
        PipelineConfig whole = whole(config);
        List<TransformSpec> transforms = config.data().transforms();
        PipelineConfig cached = whole.with(whole.data()
                .withDataset(new DatasetConfig(dataset, Optional.empty()))
                .withTransforms(transforms.subList(done, transforms.size())));
        return cached.with(cached.slots().withStages(stages(config, cached, done)));
    }

    /**
     * Returns the slots of the remaining stages. The name of a repeated transform contains a number, which changes when
     * earlier transforms are left out; this method keeps each transform's slots.
     */
    private static StagesConfig stages(PipelineConfig config, PipelineConfig cached, int done) {
        List<String> before = config.transformStages();
        List<String> names = cached.transformStages();
        Map<String, Integer> old = config.slots().stages().parallelism();
        Map<String, Integer> parallelism = new LinkedHashMap<>(old);
        parallelism.keySet().removeAll(before);
        for (int i = 0; i < names.size(); i++) {
            Integer slots = old.get(before.get(done + i));
            if (slots != null) {
                parallelism.put(names.get(i), slots);
            }
        }
        return new StagesConfig(config.slots().stages().mode(), parallelism);
    }
}

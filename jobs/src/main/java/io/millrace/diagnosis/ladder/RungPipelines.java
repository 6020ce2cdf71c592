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
 * A pipeline as its rungs run it: without evaluation and checkpoints, which are not on the way of the training data, and
 * for longer than anybody measures. Pure.
 */
public final class RungPipelines {
    /** A schedule that ends with the run has to know when; ranks of samples stay within a {@code long}. */
    private static final int EPOCHS = 100_000;

    private RungPipelines() {}

    /** With nothing cached, evaluation and checkpoints as they are: for longer than anybody measures. */
    public static PipelineConfig longer(PipelineConfig config) {
        return config.with(config.data().withEpochs(EPOCHS));
    }

    /** Whether the lowest rung of the pipeline's ladder is the pipeline itself. */
    public static boolean isLowestRung(PipelineConfig config) {
        return config.evaluate().isEmpty() && config.recovery().checkpoint().isEmpty();
    }

    /** With nothing cached. */
    static PipelineConfig whole(PipelineConfig config) {
        return longer(config)
                .withEvaluate(Optional.empty())
                .with(config.recovery().withoutCheckpoints());
    }

    /**
     * With samples from a cache and the transforms behind it.
     *
     * @param done how many transforms the cached samples have gone through
     */
    static PipelineConfig cached(PipelineConfig config, DatasetSpec dataset, int done) {
        PipelineConfig whole = whole(config);
        List<TransformSpec> transforms = config.data().transforms();
        PipelineConfig cached = whole.with(whole.data()
                .withDataset(new DatasetConfig(dataset, Optional.empty()))
                .withTransforms(transforms.subList(done, transforms.size())));
        return cached.with(cached.slots().withStages(stages(config, cached, done)));
    }

    /** A transform that is there twice has a number in its name, which is another where fewer are before it. */
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

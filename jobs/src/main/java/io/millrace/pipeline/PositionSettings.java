package io.millrace.pipeline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.config.MixConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.option.Identity;
import io.millrace.order.DrawnOrder;
import io.millrace.order.Order;
import io.millrace.order.RearrangedOrder;
import io.millrace.order.SkippedSteps;
import io.millrace.order.SkippingOrder;
import io.millrace.order.Sources;
import io.millrace.source.RunIdentity;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The settings that decide which sample has which position. They must not change between a checkpoint and the run that
 * restores it. Otherwise the samples that the checkpoint counts as done would differ from the samples that were trained
 * on. Each option declares whether it is such a setting, see {@link Identity}. The length of the run, the learning rate, the
 * parallelism and the path of the data may change.
 */
public final class PositionSettings {
    /** The key of the hash of the weights by which samples are drawn. */
    public static final String WEIGHTS = "order.weights";

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private PositionSettings() {}

    /**
     * Returns the settings that decide which batch a step of a served run has. Clients store them with their position.
     *
     * @param config the pipeline of one rank
     */
    public static Map<String, String> served(PipelineConfig config, RunPlan plan) {
        Map<String, String> settings = settings(config, plan, Set.of(Identity.BATCHES));
        settings.put("batch.size", String.valueOf(plan.batches().batch())); // of all ranks together
        return settings;
    }

    /** Returns the identity of a run that writes into a folder. */
    public static RunIdentity of(PipelineConfig config, RunPlan plan, Path folder) {
        return new RunIdentity(
                settings(config, plan, Set.of(Identity.BATCHES, Identity.TRAINING)),
                folder.toAbsolutePath().toString());
    }

    /** Returns whether a setting is the number of samples of a dataset. */
    public static boolean isDatasetSize(String key) {
        return key.endsWith("dataset.size") || (key.startsWith(RunIdentity.DATASETS + ".") && key.endsWith(".size"));
    }

    private static Map<String, String> settings(PipelineConfig config, RunPlan plan, Set<Identity> parts) {
        Map<String, String> settings = new TreeMap<>();
        long evaluation = plan.batches().evaluationSize();
        MixConfig mix = config.data().mix().orElse(null);
        if (mix == null) {
            settings.put("dataset.size", size(plan, 0));
            drawn(plan.order())
                    .ifPresent(order -> settings.put(WEIGHTS, order.weights().sha256()));
        } else {
            settings.put(RunIdentity.MIX, mix.plan().toString());
            settings.put(
                    RunIdentity.DATASETS,
                    config.data().sources().stream().map(SourceConfig::name).collect(Collectors.joining(" ")));
            for (int source = 0; source < plan.sources().count(); source++) {
                settings.put(
                        RunIdentity.DATASETS + "." + plan.sources().get(source).name() + ".size", size(plan, source));
            }
        }
        if (evaluation > 0) { // evaluations stand between the positions of training
            RunOrder.epochSetting(config, plan.sources())
                    .ifPresent(key ->
                            settings.put(key, String.valueOf(plan.batches().stepsPerEpoch())));
            settings.put("evaluate.dataset.size", String.valueOf(evaluation));
        }
        SkippedSteps skipped = config.data().order().skipped();
        if (skipped.count() > 0) {
            settings.put(RunIdentity.SKIPPED, skipped.toString());
        }
        config.identity(parts).forEach((key, value) -> settings.put(key, text(value)));
        return settings;
    }

    /** Returns the number of samples of a dataset; that of its documents where nobody needs to know it. */
    private static String size(RunPlan plan, int source) {
        Sources.Source sized = plan.sources().get(source);
        PackedSpec packs = plan.sequences().train().get(source);
        return String.valueOf(
                packs != null && sized.isEndless() ? packs.counts().documents() : sized.size());
    }

    private static Optional<DrawnOrder> drawn(Order order) {
        Order arranged = order instanceof SkippingOrder skipping ? skipping.whole() : order;
        Order whole = arranged instanceof RearrangedOrder rows ? rows.original() : arranged;
        return whole instanceof DrawnOrder drawn ? Optional.of(drawn) : Optional.empty();
    }

    private static String text(Object value) {
        try {
            return value instanceof String text ? text : JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pipeline's keys and values are plain: " + value, e);
        }
    }
}

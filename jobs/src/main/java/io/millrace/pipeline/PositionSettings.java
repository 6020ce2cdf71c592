package io.millrace.pipeline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.config.PipelineConfig;
import io.millrace.order.BatchPlan;
import io.millrace.source.RunIdentity;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings that give a run's positions their meaning: with another value of any of them, the samples that a
 * checkpoint counts as done would be others than those that were trained on. How long to train, how fast to learn, how
 * parallel, and where the data lies may change.
 */
public final class PositionSettings {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** As the pipeline file has them. */
    private static final List<String> KEYS = List.of(
            "order.seed",
            "order.shuffle",
            "transforms",
            "batch.size",
            "batch.drop_last",
            "batch.fields",
            "batch.wire",
            "device.transforms",
            "train.input",
            "train.target",
            "train.seed",
            "evaluate.transforms",
            "evaluate.every",
            "ranks",
            "share",
            "replicas");

    private PositionSettings() {}

    /** The identity of a run that writes into that folder. */
    public static RunIdentity of(PipelineConfig config, BatchPlan plan, Path folder) {
        Map<String, String> meaning = new TreeMap<>();
        meaning.put("dataset.size", String.valueOf(plan.size()));
        if (plan.evaluationSize() > 0) {
            meaning.put("evaluate.dataset.size", String.valueOf(plan.evaluationSize()));
        }
        Map<String, Object> written = config.toMap();
        for (String key : KEYS) {
            Object value = written;
            for (String part : key.split("[.]", -1)) {
                value = value instanceof Map<?, ?> map ? map.get(part) : null;
            }
            if (value != null) {
                meaning.put(key, text(value));
            }
        }
        return new RunIdentity(meaning, folder.toAbsolutePath().toString());
    }

    private static String text(Object value) {
        try {
            return value instanceof String text ? text : JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pipeline's keys and values are plain: " + value, e);
        }
    }
}

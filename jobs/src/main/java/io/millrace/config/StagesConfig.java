package io.millrace.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which stages share a task.
 *
 * @param mode for stages that are not named
 * @param parallelism of the stages that are named, each of which is an operator outside the chain
 */
public record StagesConfig(Mode mode, Map<String, Integer> parallelism) {
    /** How stages become Flink tasks. */
    public enum Mode {
        /** All stages of a slot run in one chain, without queues between them. */
        FUSED,
        /** Each stage is a task of its own, with its own busy time and backpressure in the web UI. */
        SEPARATE
    }

    public StagesConfig {
        parallelism = Collections.unmodifiableMap(new LinkedHashMap<>(parallelism));
    }

    /** Whether the stage is a task of its own. */
    public boolean separate(String stage) {
        return mode == Mode.SEPARATE || parallelism.containsKey(stage);
    }

    /** The stage's own parallelism, or {@code common} where it has none. */
    public int parallelism(String stage, int common) {
        return parallelism.getOrDefault(stage, common);
    }
}

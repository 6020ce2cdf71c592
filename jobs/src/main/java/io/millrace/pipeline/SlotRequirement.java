package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacementConfig;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The slots and devices that a job needs before it starts.
 *
 * @param slots the number of task slots
 * @param devices the number of each external resource that all slots together need, by name; empty when the slots can
 *     be on any TaskManager
 */
public record SlotRequirement(int slots, Map<String, Integer> devices) {
    public SlotRequirement {
        devices = Collections.unmodifiableMap(new TreeMap<>(devices));
    }

    /** Returns a requirement of slots on any TaskManager. */
    public static SlotRequirement anywhere(int slots) {
        return new SlotRequirement(slots, Map.of());
    }

    /** Returns the requirement of a pipeline. Stages share slots unless the pipeline has a placement. */
    public static SlotRequirement of(PipelineConfig config) {
        int data = Collections.max(Pipeline.stages(config).values());
        int trainers = config.train().trainers().ranks();
        if (config.slots().placement().isEmpty()) {
            return anywhere(Math.max(data, trainers));
        }
        PlacementConfig placement = config.slots().placement().get();
        Map<String, Integer> devices = new TreeMap<>();
        devices.put(placement.data(), data);
        devices.merge(placement.trainer(), trainers, Integer::sum);
        return new SlotRequirement(data + trainers, devices);
    }
}

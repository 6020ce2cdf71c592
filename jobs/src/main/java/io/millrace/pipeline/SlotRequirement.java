package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacementConfig;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a job needs of a cluster before it begins.
 *
 * @param slots task slots
 * @param devices by name, how many of each external resource these slots take together; empty where the job goes anywhere
 */
public record SlotRequirement(int slots, Map<String, Integer> devices) {
    public SlotRequirement {
        devices = Collections.unmodifiableMap(new TreeMap<>(devices));
    }

    /** SlotGroups of any kind. */
    public static SlotRequirement anywhere(int slots) {
        return new SlotRequirement(slots, Map.of());
    }

    /** What this pipeline needs: stages share slots, but where they are placed apart. */
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

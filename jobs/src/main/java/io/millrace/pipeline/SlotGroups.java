package io.millrace.pipeline;

import io.millrace.config.PlacementConfig;
import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.configuration.MemorySize;

/**
 * The slot sharing groups of a pipeline with a resource placement. A TaskManager offers external resources, each with a
 * name and a number. A slot that requires a resource is placed only on a TaskManager that offers it. Flink considers
 * these requirements only when every stage has one.
 */
final class SlotGroups {
    private static final String TRAINERS = "trainers";
    private static final String DATA = "data";

    private SlotGroups() {}

    /** Returns the group of the trainers, each of which has a slot of its own. */
    static SlotSharingGroup ofTrainers(PlacementConfig placement) {
        return group(TRAINERS, placement.trainer(), placement);
    }

    /** Returns the group of all other stages, which share slots. */
    static SlotSharingGroup ofData(PlacementConfig placement) {
        return group(DATA, placement.data(), placement);
    }

    private static SlotSharingGroup group(String name, String resource, PlacementConfig placement) {
        return SlotSharingGroup.newBuilder(name)
                .setCpuCores(placement.cores())
                .setTaskHeapMemory(new MemorySize(placement.heap().bytes()))
                .setExternalResource(resource, 1)
                .build();
    }
}

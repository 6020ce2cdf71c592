package io.millrace.pipeline;

import io.millrace.config.PlacementConfig;
import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.configuration.MemorySize;

/**
 * What slots ask of the machines that they go to. A TaskManager offers external resources, which are names with numbers;
 * where there is none of a name, no slot that asks for it goes. Flink places by them only when every stage asks.
 */
final class SlotGroups {
    private static final String TRAINERS = "trainers";
    private static final String DATA = "data";

    private SlotGroups() {}

    /** For the trainers, each of which has a slot to itself. */
    static SlotSharingGroup ofTrainers(PlacementConfig placement) {
        return group(TRAINERS, placement.trainer(), placement);
    }

    /** For all other stages, which share slots. */
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

package io.millrace.diagnosis.auto;

import io.millrace.config.AutoConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.CapacityModel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The slots and stages that were chosen for a pipeline. Pure.
 *
 * @param slots the number of slots of the stages without a number of their own, at least 1
 * @param stages the stages with their own number of slots
 */
public record SlotChoice(int slots, StagesConfig stages) {
    /** The factor over the slots of the other stages from which a stage leaves the chain. */
    private static final int CLEARLY_MORE = 2;

    /**
     * The largest number of channels between the tasks of two stages. Each pair of tasks has a channel with its own memory.
     */
    private static final int MOST_CHANNELS = 256;

    /** The largest number of slots for each core when the user sets no limit. */
    private static final int MOST_PER_CORE = 4;

    public SlotChoice {
        if (slots < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + slots);
        }
    }

    /**
     * Returns the choice that suits a pipeline. Numbers that the pipeline file sets stay. The stages remain one chain without
     * queues between them, with one exception: a stage that waits most of its time and needs clearly more slots than the
     * rest gets its own slots. Then the other stages need fewer instances.
     *
     * @param most the largest number of slots that may be chosen, at least 1
     */
    public static SlotChoice suited(Demand demand, PipelineConfig config, int most) {
        boolean open = config.slots().auto().chooses(AutoConfig.Choice.PARALLELISM);
        OptionalInt fixed =
                open ? OptionalInt.empty() : OptionalInt.of(config.slots().parallelism());
        StagesConfig stages = config.slots().auto().chooses(AutoConfig.Choice.STAGES)
                ? withoutWaiting(demand, fixed, most)
                : config.slots().stages();
        return new SlotChoice(fixed.orElseGet(() -> Math.min(most, demand.common(stages))), stages);
    }

    private static StagesConfig withoutWaiting(Demand demand, OptionalInt fixed, int most) {
        Map<String, Integer> own = new LinkedHashMap<>();
        demand.waiting().forEach(stage -> own.put(stage, Math.min(most, demand.of(stage))));
        while (true) {
            StagesConfig stages = new StagesConfig(StagesConfig.Mode.FUSED, own);
            int rest = fixed.orElseGet(() -> Math.min(most, demand.common(stages)));
            if (!own.values().removeIf(slots -> slots < CLEARLY_MORE * rest || slots * rest > MOST_CHANNELS)) {
                return stages;
            }
        }
    }

    /** Returns the largest number of slots that may be chosen: the user's limit, or four for each core of the machines. */
    public static int most(AutoConfig auto, CapacityModel measured) {
        Double cores = measured.allCores();
        return auto.most()
                .orElseGet(() -> MOST_PER_CORE
                        * (cores == null ? Runtime.getRuntime().availableProcessors() : cores.intValue()));
    }

    /** Returns a pipeline with this choice. */
    public PipelineConfig in(PipelineConfig config) {
        return config.with(config.slots().chosen(slots, stages));
    }
}

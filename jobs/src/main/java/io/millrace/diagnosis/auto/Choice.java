package io.millrace.diagnosis.auto;

import io.millrace.config.AutoConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.CapacityModel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Slots and stages for a pipeline. Pure.
 *
 * @param slots of the stages that have no number of their own
 * @param stages which those are that have
 */
public record Choice(int slots, StagesConfig stages) {
    /** A stage leaves the chain for at least so many times the slots of the rest. */
    private static final int CLEARLY_MORE = 2;

    /** From each task of one stage to each of the next there is a way, with memory of its own: beyond this it is too much. */
    private static final int MOST_WAYS = 256;

    /** Where the user sets no limit. */
    private static final int MOST_PER_CORE = 4;

    public Choice {
        if (slots < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, found " + slots);
        }
    }

    /**
     * What suits a pipeline, as far as its file leaves it open. The stages stay one chain, without queues between them; but
     * where one waits most of its time and needs clearly more slots than the rest, it gets slots of its own, so that the
     * others need not be there as often as it.
     *
     * @param most slots that may be chosen, at least 1
     */
    public static Choice suited(Demand demand, PipelineConfig config, int most) {
        boolean open = config.slots().auto().chooses(AutoConfig.Choice.PARALLELISM);
        OptionalInt given =
                open ? OptionalInt.empty() : OptionalInt.of(config.slots().parallelism());
        StagesConfig stages = config.slots().auto().chooses(AutoConfig.Choice.STAGES)
                ? withoutWaiting(demand, given, most)
                : config.slots().stages();
        return new Choice(given.orElseGet(() -> Math.min(most, demand.common(stages))), stages);
    }

    private static StagesConfig withoutWaiting(Demand demand, OptionalInt given, int most) {
        Map<String, Integer> own = new LinkedHashMap<>();
        demand.waiting().forEach(stage -> own.put(stage, Math.min(most, demand.of(stage))));
        while (true) {
            StagesConfig stages = new StagesConfig(StagesConfig.Mode.FUSED, own);
            int rest = given.orElseGet(() -> Math.min(most, demand.common(stages)));
            if (!own.values().removeIf(slots -> slots < CLEARLY_MORE * rest || slots * rest > MOST_WAYS)) {
                return stages;
            }
        }
    }

    /** The most slots that may be chosen: what the user says, or else four for each processor of the machines. */
    public static int most(AutoConfig auto, CapacityModel measured) {
        Double cores = measured.allCores();
        return auto.most()
                .orElseGet(() -> MOST_PER_CORE
                        * (cores == null ? Runtime.getRuntime().availableProcessors() : cores.intValue()));
    }

    /** The pipeline with it. */
    public PipelineConfig in(PipelineConfig config) {
        return config.with(config.slots().chosen(slots, stages));
    }
}

package io.millrace.diagnosis.auto;

import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.pipeline.Pipeline;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The number of slots that the stages on the data servers need so that slots do not limit the pipeline. Pure.
 *
 * @param target the limit of the pipeline when it has enough slots
 * @param chain the slots that the work of each stage fills, with fractions, in the order in which a sample passes them
 * @param reading the slots that reading beside the chain fills, with fractions; 0 when the chain reads itself
 * @param waiting the stages that wait most of their time, and not for a core
 */
public record Demand(Limit target, Map<String, Double> chain, double reading, Set<String> waiting) {
    /** The factor over the target, so that a short delay does not starve the trainer. */
    private static final double RESERVE = 1.1;

    /** A number of slots that is never a limit. */
    private static final int MANY = 1 << 24;

    /** The share of CPU time in a stage's own time below which the stage counts as waiting. */
    private static final double COMPUTING = 0.4;

    /** The tolerance that keeps a rounding error from adding a slot. */
    private static final double ROUNDING = 1e-9;

    public Demand {
        chain = Collections.unmodifiableMap(new LinkedHashMap<>(chain));
        waiting = Collections.unmodifiableSet(new LinkedHashSet<>(waiting));
    }

    /** Returns the demand of a pipeline; empty when the cost of a stage or of training is unknown. */
    public static Optional<Demand> of(CapacityModel model, Setting setting) {
        return model.ceiling().isEmpty() ? Optional.empty() : ofData(model, setting);
    }

    /**
     * Returns the demand of a pipeline whose training is as fast as the data, because its speed is not known yet: the slots that
     * use the cores, or whatever else limits the data. Empty when the cost of a stage or the use of the cores is unknown.
     */
    public static Optional<Demand> ofData(CapacityModel model, Setting setting) {
        List<Task> data = model.tasks().stream()
                .filter(task -> !task.name().equals(CapacityModel.ASSEMBLE))
                .toList();
        boolean known =
                data.stream().flatMap(task -> task.stages().stream()).allMatch(stage -> stage.ownSeconds() != null);
        if (data.isEmpty() || !known) {
            return Optional.empty();
        }
        CapacityModel endless = model;
        for (Task task : data) {
            endless = endless.withSlots(task.name(), MANY);
        }
        return endless.limit().map(target -> of(target, data, setting));
    }

    private static Demand of(Limit target, List<Task> data, Setting setting) {
        double rate = target.samplesPerSecond() * RESERVE;
        Map<String, Double> chain = new LinkedHashMap<>();
        Set<String> waiting = new LinkedHashSet<>();
        double reading = 0;
        for (Task task : data) {
            double speed = task.speed() / task.slots();
            for (StageCost stage : task.stages()) {
                double slots = rate * secondsPerSample(stage) / speed;
                if (stage.name().equals(Pipeline.SOURCE) && setting.readThreads() > 0) {
                    reading = slots / setting.readThreads();
                } else {
                    chain.put(stage.name(), slots);
                }
                if (waits(stage)) {
                    waiting.add(stage.name());
                }
            }
        }
        return new Demand(target, chain, reading, waiting);
    }

    private static double secondsPerSample(StageCost stage) {
        Double own = stage.ownSeconds();
        return own == null ? 0 : stage.recordsPerSample() * own;
    }

    private static boolean waits(StageCost stage) {
        Double own = stage.ownSeconds();
        Double cpu = stage.cpuSeconds();
        return own != null && cpu != null && cpu < COMPUTING * own;
    }

    /** Returns the slots of all stages without a number of their own, at least 1. The stages of a chain share its slots. */
    public int common(StagesConfig stages) {
        double most = stages.parallelism().containsKey(Pipeline.SOURCE) ? 0 : reading;
        double link = 0;
        for (Map.Entry<String, Double> stage : chain.entrySet()) {
            boolean separate = stages.separate(stage.getKey());
            link = separate ? 0 : link;
            if (!stages.parallelism().containsKey(stage.getKey())) {
                link += stage.getValue();
                most = Math.max(most, link);
            }
            link = separate ? 0 : link;
        }
        return whole(most);
    }

    /** Returns the slots of a stage that is a separate task, at least 1. */
    public int of(String stage) {
        return whole(stage.equals(Pipeline.SOURCE) && reading > 0 ? reading : chain.getOrDefault(stage, 0.0));
    }

    /** Returns the speed of one slot that all stages share, in samples per second; infinite when they cost nothing. */
    public double samplesPerSlot() {
        double slots = Math.max(
                reading,
                chain.values().stream().mapToDouble(Double::doubleValue).sum());
        return target.samplesPerSecond() * RESERVE / slots;
    }

    private static int whole(double slots) {
        return Math.max(1, (int) Math.ceil(slots - ROUNDING));
    }
}

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
 * How many slots the stages on the data servers have work for, so that not they limit the pipeline but what is not a matter
 * of slots. Pure.
 *
 * @param target what limits the pipeline when it has slots enough
 * @param chain for each stage, in the order of the data's way, the slots that its work fills, with fractions
 * @param reading the same of the reading that goes on beside the chain; 0 where the chain reads itself
 * @param waiting the stages that wait for something else than a core most of their time
 */
public record Demand(Limit target, Map<String, Double> chain, double reading, Set<String> waiting) {
    /** So that a short delay does not starve the trainer. */
    private static final double RESERVE = 1.1;

    /** So many that slots are no limit. */
    private static final int MANY = 1 << 24;

    /** A stage that has less of the processor than this share of its own time waits. */
    private static final double AT_WORK = 0.4;

    /** A number that is reached exactly must not become one more for a rounding error. */
    private static final double ROUNDING = 1e-9;

    public Demand {
        chain = Collections.unmodifiableMap(new LinkedHashMap<>(chain));
        waiting = Collections.unmodifiableSet(new LinkedHashSet<>(waiting));
    }

    /** What follows from the costs; empty when those of a stage or of training are unknown. */
    public static Optional<Demand> of(CapacityModel model, Setting setting) {
        List<Task> data = model.tasks().stream()
                .filter(task -> !task.name().equals(CapacityModel.ASSEMBLE))
                .toList();
        boolean known =
                data.stream().flatMap(task -> task.stages().stream()).allMatch(stage -> stage.ownSeconds() != null);
        if (data.isEmpty() || !known || model.ceiling().isEmpty()) {
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
        return own != null && cpu != null && cpu < AT_WORK * own;
    }

    /** The slots of all stages without a number of their own, at least 1. Those of one chain take turns in theirs. */
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

    /** The slots of a stage that is a task of its own, at least 1. */
    public int of(String stage) {
        return whole(stage.equals(Pipeline.SOURCE) && reading > 0 ? reading : chain.getOrDefault(stage, 0.0));
    }

    /** What one slot makes in which all stages take turns; infinite where they cost nothing. */
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

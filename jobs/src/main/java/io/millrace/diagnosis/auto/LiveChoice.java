package io.millrace.diagnosis.auto;

import io.millrace.config.AutoConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Setting;
import io.millrace.pipeline.Pipeline;
import io.millrace.rest.TaskReading;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The choice of slots while a job runs, from its measurements in their order. It changes only the numbers of slots, because
 * the chains of a running job cannot change. Not thread-safe.
 */
public final class LiveChoice {
    /** The shortest measurement that counts. A shorter one contains the warm-up, or chance decides it. */
    private static final double LEAST_SECONDS = 8;

    private final Setting setting;
    private final Map<String, AutoSlots> ofStages = new LinkedHashMap<>();
    private Optional<AutoSlots> ofOthers = Optional.empty();
    private PipelineConfig now;

    /**
     * Creates a choice for a job that has just been submitted.
     *
     * @param chosen the pipeline of the submitted job
     */
    public LiveChoice(PipelineConfig chosen, Setting setting) {
        this.now = chosen;
        this.setting = setting;
    }

    /** Returns the pipeline with which the job runs, or will run after the latest change. */
    public PipelineConfig now() {
        return now;
    }

    /**
     * Returns the pipeline with other slots when the last measurements agree that a change is worth a pause; otherwise
     * empty.
     *
     * @param measured the measurement of the latest seconds
     * @param tasks the tasks as they run now. When the cluster has fewer slots than chosen, they differ from the choice, and
     *     the result is empty.
     */
    public Optional<PipelineConfig> next(Measurement measured, List<TaskReading> tasks) {
        Optional<Demand> demand = measured.seconds() < LEAST_SECONDS || !asChosen(tasks)
                ? Optional.empty()
                : Demand.of(measured.model(), setting);
        if (demand.isEmpty()) {
            ofOthers.ifPresent(AutoSlots::discard);
            ofStages.values().forEach(AutoSlots::discard);
            return Optional.empty();
        }
        PipelineConfig next = next(demand.get(), measured);
        if (next.slots().parallelism() == now.slots().parallelism()
                && next.slots().stages().equals(now.slots().stages())) {
            return Optional.empty();
        }
        now = next;
        return Optional.of(next);
    }

    private PipelineConfig next(Demand demand, Measurement measured) {
        int most = SlotChoice.most(now.slots().auto(), measured.model());
        Double starvation = measured.observed().starvation();
        int slots = now.slots().parallelism();
        if (now.slots().auto().chooses(AutoConfig.Choice.PARALLELISM)) {
            AutoSlots others = ofOthers.orElseGet(() -> new AutoSlots(most));
            ofOthers = Optional.of(others);
            slots = others.next(demand.common(now.slots().stages()), starvation, slots)
                    .orElse(slots);
        }
        Map<String, Integer> own = new LinkedHashMap<>(now.slots().stages().parallelism());
        if (now.slots().auto().chooses(AutoConfig.Choice.STAGES)) {
            own.replaceAll((stage, number) -> ofStages.computeIfAbsent(stage, name -> new AutoSlots(most))
                    .next(demand.of(stage), starvation, number)
                    .orElse(number));
        }
        return now.with(
                now.slots().chosen(slots, new StagesConfig(now.slots().stages().mode(), own)));
    }

    private boolean asChosen(List<TaskReading> tasks) {
        Map<String, Integer> chosen = Pipeline.stages(now);
        return tasks.stream().allMatch(task -> task.stages().stream()
                .filter(chosen::containsKey)
                .map(chosen::get)
                .allMatch(slots -> slots == task.parallelism()));
    }
}

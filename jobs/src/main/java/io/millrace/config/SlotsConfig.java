package io.millrace.config;

import io.millrace.config.ParallelismType.Parallelism;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import java.util.Collection;
import java.util.Optional;

/**
 * The Flink slots of the stages on the data servers.
 *
 * @param parallelism the number of slots of each stage without a number of its own, at least 1
 * @param meaning the meaning of {@code parallelism}
 * @param auto the choice of {@code parallelism}, {@code stages} or both by a measurement when a run begins; until then
 *     the stages are one chain on each CPU
 * @param placement empty when all stages share slots
 */
public record SlotsConfig(
        int parallelism, Meaning meaning, StagesConfig stages, AutoConfig auto, Optional<PlacementConfig> placement)
        implements PipelineConfig.Part {
    /** The meaning of the number of slots. */
    public enum Meaning {
        /** The pipeline file has the number, or a measurement chose it. */
        GIVEN,
        /** The file has no number, so that the number is that of this machine's cores. */
        CORES,
        /** The job uses the slots that exist, up to the number. */
        MOST
    }

    static final Option<Parallelism> PARALLELISM = Option.of(
                    "parallelism",
                    ParallelismType.TYPE,
                    "Slots that read and transform. Default: the free slots of the cluster, where the adaptive scheduler also"
                            + " uses slots that are added later; without a cluster, the number of CPUs."
                            + " auto: the train command first measures the stages, for at most the time in 'calibrate'."
                            + " It then chooses the number of slots that keeps the trainer busy, up to the limit in"
                            + " 'most', by default 4 for each CPU.")
            .optional()
            .decides(Identity.NOTHING)
            .alsoCalled("num_workers", "workers", "num_proc", "n_jobs");

    /** Reads the keys of the slots. */
    static SlotsConfig read(Section root) {
        Optional<Parallelism> written = root.find(PARALLELISM);
        Parallelism parallelism = written.orElse(Parallelism.STANDARD);
        StagesConfig stages = StagesConfig.read(root);
        Optional<PlacementConfig> placement = root.findSection(PlacementConfig.SECTION, PlacementConfig.KEYS);
        int slots = parallelism.number();
        if (stages.mode() == StagesConfig.Mode.ONE_TASK) {
            if (written.isPresent() && !parallelism.slots().equals(Optional.of(1))) {
                root.report(
                        PARALLELISM,
                        "expected 1, because stages: one_task has one task in one slot, found "
                                + parallelism.slots().map(String::valueOf).orElse(AutoConfig.WORD));
            }
            if (placement.isPresent()) {
                root.report(
                        PlacementConfig.SECTION,
                        "stages: one_task has only one task, so data and training cannot be on different machines");
            }
            slots = 1;
        }
        return new SlotsConfig(
                slots,
                written.isPresent() || stages.mode() == StagesConfig.Mode.ONE_TASK ? Meaning.GIVEN : Meaning.CORES,
                stages,
                StagesConfig.areChosen(root) ? parallelism.auto().and(AutoConfig.Choice.STAGES) : parallelism.auto(),
                placement);
    }

    /**
     * Writes the keys of the slots. After {@link #auto} has been applied, they contain plain numbers, because the
     * description of a job on a cluster contains the chosen values. The default is not written.
     */
    void write(WrittenConfig root) {
        stages.write(root);
        if (meaning != Meaning.CORES) {
            root.put(PARALLELISM, parallelism);
        }
        placement.ifPresent(config -> root.section(PlacementConfig.SECTION, config, PlacementConfig.KEYS));
    }

    /** Returns the slots with a chosen number and chosen stages. */
    public SlotsConfig chosen(int slots, StagesConfig chosen) {
        return new SlotsConfig(slots, Meaning.GIVEN, chosen, auto, placement);
    }

    /** Returns the same stages with a number of slots for those without a number of their own. */
    public SlotsConfig withParallelism(int slots, Meaning of) {
        return new SlotsConfig(slots, of, stages, auto, placement);
    }

    /** Returns the same slots with stages as tasks of their own. */
    public SlotsConfig withStages(StagesConfig others) {
        return new SlotsConfig(parallelism, meaning, others, auto, placement);
    }

    /** Returns the same slots with nothing left to choose. */
    public SlotsConfig withoutChoice() {
        return new SlotsConfig(parallelism, meaning, stages, AutoConfig.NOTHING, placement);
    }

    /** Returns the same slots for an embedded Flink, which has no external resources. */
    SlotsConfig withoutPlacement() {
        return new SlotsConfig(parallelism, meaning, stages, auto, Optional.empty());
    }

    /** Returns the same slots without those of stages that run on the device. */
    SlotsConfig keeping(Collection<String> stageNames) {
        return withStages(stages.keeping(stageNames));
    }
}

package io.millrace.diagnosis.auto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.sample.SampleUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SlotChoiceTest {
    private static final Setting CHAIN_READS = new Setting(0, 1, 1);
    private static final Setting READS_BESIDE_CHAIN = new Setting(4, 1, 1);

    /** Returns a model of one slot of a chain and of a trainer that uses 1,000 samples/s, on the given number of cores. */
    private static CapacityModel measured(@Nullable Double cores, StageCost... chain) {
        Task trainer = new Task("train", 1, List.of(cost("train", 1.0, 1.0)));
        return new CapacityModel(
                List.of(
                        new Task(chain[0].name(), 1, List.of(chain)),
                        new Task("assemble", 1, List.of(cost("assemble", 0.01, 0.01)))),
                trainer,
                cores,
                List.of());
    }

    private static StageCost cost(String stage, double ownMillis, double cpuMillis) {
        return new StageCost(stage, 1, ownMillis / 1e3, cpuMillis / 1e3);
    }

    private static Demand demand(CapacityModel model) {
        return Demand.of(model, CHAIN_READS).orElseThrow();
    }

    private static SlotChoice choice(CapacityModel model, PipelineConfig config, int most) {
        return SlotChoice.suited(demand(model), config, most);
    }

    private static final CapacityModel COMPUTES = measured(
            64.0, cost("read", 0.5, 0.5), cost("Delay", 2, 2), cost("RandomMask", 1, 1), cost("pack", 0.5, 0.5));

    private static final CapacityModel WAITS = measured(
            64.0, cost("read", 0.3, 0.3), cost("Delay", 8, 0), cost("RandomMask", 1, 1), cost("pack", 0.5, 0.5));

    @Test
    void slotsKeepTheTrainerBusyWithSomeReserve() {
        assertThat(choice(COMPUTES, OpenPipelines.of(), 16))
                .isEqualTo(new SlotChoice(5, fused(Map.of()))); // 4 and a reserve of a tenth
    }

    @Test
    void slotsStayWithinWhatTheCoresAllow() {
        CapacityModel model = measured(2.0, cost("read", 1, 1), cost("Delay", 3, 3));

        Demand demand = demand(model);

        assertThat(demand.target().kind()).isEqualTo(Limit.Kind.CORES);
        assertThat(demand.target().samplesPerSecond()).isBetween(399.0, 400.0); // the most that 2 cores allow
        assertThat(SlotChoice.suited(demand, OpenPipelines.of(), 16).slots()).isEqualTo(2);
    }

    @Test
    void limitOfTheUserIsKept() {
        assertThat(choice(COMPUTES, OpenPipelines.of(), 3).slots()).isEqualTo(3);
        assertThat(choice(WAITS, OpenPipelines.of("stages=auto"), 5))
                .isEqualTo(new SlotChoice(2, fused(Map.of("Delay", 5))));
        assertThat(SlotChoice.most(OpenPipelines.of().slots().auto(), COMPUTES))
                .isEqualTo(4 * Runtime.getRuntime().availableProcessors()); // the number of all cores is unknown
        assertThat(SlotChoice.most(
                        OpenPipelines.of("parallelism={auto: {most: 7}}")
                                .slots()
                                .auto(),
                        COMPUTES))
                .isEqualTo(7);
    }

    @Test
    void readingBesideTheChainUsesNoTimeOfTheChain() {
        CapacityModel model = new CapacityModel(
                List.of(
                        new Task("read", 4, List.of(cost("read", 9, 1))),
                        new Task("Delay", 1, List.of(cost("Delay", 1, 1), cost("pack", 0.5, 0.5)))),
                new Task("train", 1, List.of(cost("train", 1, 1))),
                64.0,
                List.of());

        Demand demand = Demand.of(model, READS_BESIDE_CHAIN).orElseThrow();

        assertThat(demand.common(fused(Map.of()))).isEqualTo(3); // 9.9 threads of reading, 4 to a slot
        assertThat(demand.common(fused(Map.of("read", 3)))).isEqualTo(2); // 1.65 of the chain
    }

    @Test
    void waitingStageLeavesTheChainWithItsOwnSlots() {
        assertThat(choice(WAITS, OpenPipelines.of("stages=auto"), 32))
                .isEqualTo(
                        new SlotChoice(2, fused(Map.of("Delay", 9)))); // in one chain all of them would need 11 slots
        assertThat(choice(WAITS, OpenPipelines.of(), 32)).isEqualTo(new SlotChoice(11, fused(Map.of())));
    }

    @Test
    void stageThatComputesOrNeedsFewMoreSlotsStaysInTheChain() {
        CapacityModel shortWait = measured(
                64.0, cost("read", 0.3, 0.3), cost("Delay", 2, 0), cost("RandomMask", 2, 2), cost("pack", 0.5, 0.5));

        assertThat(choice(COMPUTES, OpenPipelines.of("stages=auto"), 32).stages())
                .isEqualTo(fused(Map.of()));
        assertThat(choice(shortWait, OpenPipelines.of("stages=auto"), 32))
                .isEqualTo(new SlotChoice(6, fused(Map.of())));
    }

    @Test
    void stageStaysInTheChainWhenItWouldNeedTooManyChannels() {
        CapacityModel large = measured(
                640.0, cost("read", 15, 15), cost("Delay", 80, 0), cost("RandomMask", 1, 1), cost("pack", 0.5, 0.5));

        assertThat(choice(large, OpenPipelines.of("stages=auto"), 200)).isEqualTo(new SlotChoice(107, fused(Map.of())));
    }

    @Test
    void stagesAreChosenForFixedSlots() {
        assertThat(choice(WAITS, OpenPipelines.of("parallelism=3", "stages=auto"), 32))
                .isEqualTo(new SlotChoice(3, fused(Map.of("Delay", 9))));
        assertThat(choice(WAITS, OpenPipelines.of("parallelism=5", "stages=auto"), 32))
                .isEqualTo(new SlotChoice(5, fused(Map.of())));
    }

    @Test
    void slotsAreChosenForFixedStages() {
        assertThat(choice(WAITS, OpenPipelines.of("stages=separate"), 32).slots())
                .isEqualTo(9); // Delay's
        assertThat(choice(WAITS, OpenPipelines.of("stages={Delay: 4}"), 32))
                .isEqualTo(new SlotChoice(2, fused(Map.of("Delay", 4))));
    }

    @Test
    void unknownCostsGiveNoDemand() {
        CapacityModel untrained = new CapacityModel(
                COMPUTES.tasks(),
                new Task("train", 1, List.of(new StageCost("train", 1, null, null))),
                64.0,
                List.of());
        CapacityModel unmeasured = measured(64.0, cost("read", 1, 1), new StageCost("Delay", 1, null, null));

        assertThat(Demand.of(untrained, CHAIN_READS)).isEqualTo(Optional.empty());
        assertThat(Demand.of(unmeasured, CHAIN_READS)).isEqualTo(Optional.empty());
        assertThat(Demand.ofData(unmeasured, CHAIN_READS)).isEqualTo(Optional.empty());
        assertThatThrownBy(() -> new SlotChoice(0, fused(Map.of()))).hasMessage("slots: expected at least 1, found 0");
    }

    @Test
    void dataForTrainingOfUnknownSpeedUsesTheCores() {
        CapacityModel untrained = new CapacityModel(
                COMPUTES.tasks(), new Task("train", 1, List.of(new StageCost("train", 1, 0.0, 0.0))), 4.0, List.of());

        assertThat(Demand.of(untrained, CHAIN_READS)).isEqualTo(Optional.empty());
        Demand demand = Demand.ofData(untrained, CHAIN_READS).orElseThrow();
        assertThat(demand.target().kind()).isEqualTo(Limit.Kind.CORES);
        assertThat(SlotChoice.suited(demand, OpenPipelines.of("stages=auto"), 32)
                        .slots())
                .isEqualTo(5); // 4 cores and the reserve
    }

    @Test
    void lineContainsTheChoiceAndItsReasons() {
        PipelineConfig open = OpenPipelines.of("stages=auto");
        Demand demand = demand(WAITS);

        assertThat(ChoiceText.line(
                        SlotChoice.suited(demand, open, 32).in(open), demand, SampleUnit.IMAGES, 32, "a limit", 4.12))
                .isEqualTo(
                        "parallelism 2, Delay 9 (1 slot delivers 102 images/s, the trainer processes 1,000; measured in 4.1 s)");
        assertThat(ChoiceText.line(
                        SlotChoice.suited(demand, open, 5).in(open), demand, SampleUnit.IMAGES, 5, "a limit", 4.12))
                .isEqualTo(
                        "parallelism 2, Delay 5 (1 slot delivers 102 images/s, the trainer processes 1,000; no more than 5:"
                                + " a limit; measured in 4.1 s)");
    }

    private static StagesConfig fused(Map<String, Integer> own) {
        return new StagesConfig(StagesConfig.Mode.FUSED, own);
    }
}

package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.diagnosis.Limit.Kind;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the model on cases that can be calculated on paper. */
class CapacityModelTest {
    private static StageCost stage(String name, double millis) {
        return new StageCost(name, 1, millis / 1e3, millis / 1e3);
    }

    private static Task task(int slots, StageCost... stages) {
        return new Task(stages[0].name(), slots, List.of(stages));
    }

    private static CapacityModel model(@Nullable Double cores, Task trainer, Task... tasks) {
        return new CapacityModel(List.of(tasks), trainer, cores, List.of());
    }

    @Test
    void pathOfAServedRunEndsAtTheClientsTrainingLoop() {
        Task loop = new Task(TaskLimits.CLIENTS, 1, List.of(stage("train", 0.25)));
        CapacityModel model = model(null, loop, task(2, stage("read", 0.1)), task(4, stage("decode", 2)));

        assertThat(model.path()).last().extracting(Limit::culprit).isEqualTo("your training loop");
    }

    @Test
    void slowestTaskLimitsSeparateStages() {
        CapacityModel model =
                model(null, task(1, stage("train", 0.25)), task(2, stage("read", 0.1)), task(4, stage("decode", 2)));

        assertThat(model.limits())
                .containsExactly(
                        new Limit(Kind.SLOTS, "decode", 2_000),
                        new Limit(Kind.TRAINING, "train", 4_000),
                        new Limit(Kind.SLOTS, "read", 20_000));
        assertThat(model.path())
                .containsExactly(new Limit(Kind.SLOTS, "decode", 2_000), new Limit(Kind.TRAINING, "train", 4_000));
        assertThat(model.ceiling()).contains(4_000.0);
    }

    @Test
    void stagesOfAChainShareItsSlots() {
        CapacityModel model = model(
                null, task(1, stage("train", 0.1)), task(2, stage("decode", 1), stage("crop", 3), stage("flip", 1)));

        assertThat(model.limit()).contains(new Limit(Kind.SLOTS, "crop", 400));
        assertThat(model.without(model.limit().orElseThrow()).limit()).contains(new Limit(Kind.SLOTS, "decode", 1_000));
        assertThat(model.scaled("crop", 1 / 3.0).limit().orElseThrow().samplesPerSecond())
                .isCloseTo(2 / 3e-3, within(1e-6));
    }

    @Test
    void stageWithMostCpuTimeIsNamedWhenCoresAreUsedUp() {
        CapacityModel model = model(2.0, task(1, stage("train", 0.5)), task(8, stage("read", 0.5), stage("decode", 3)));

        assertThat(model.limit()).contains(new Limit(Kind.CORES, "decode", 500));
        assertThat(model.path())
                .containsExactly(new Limit(Kind.CORES, "decode", 500), new Limit(Kind.TRAINING, "train", 2_000));
        assertThat(model.withCores(16).limit()).contains(new Limit(Kind.TRAINING, "train", 2_000));
    }

    @Test
    void costOfAStageCountsAllItsRecordsPerSample() {
        StageCost scored = new StageCost("score", 4, 1e-3, 1e-3);
        StageCost rare = new StageCost("evaluate-decode", 0.1, 1e-3, 1e-3);
        CapacityModel model = model(null, task(1, stage("train", 0.1)), task(1, scored), task(1, rare));

        assertThat(model.limits())
                .contains(new Limit(Kind.SLOTS, "score", 250))
                .anySatisfy(limit -> assertThat(limit.samplesPerSecond()).isCloseTo(10_000, within(1e-6)));
    }

    @Test
    void ceilingLeavesOutTheTransferOfTheTrainer() {
        CapacityModel model =
                model(null, task(1, stage("transfer", 0.6), stage("train", 0.4)), task(4, stage("decode", 0.1)));

        assertThat(model.path())
                .containsExactly(new Limit(Kind.TRAINER, "transfer", 1_000), new Limit(Kind.TRAINING, "train", 2_500));
        assertThat(model.ceiling()).contains(2_500.0);
    }

    @Test
    void slowThreadIsNamedAsStraggler() {
        CapacityModel model = new CapacityModel(
                List.of(new Task("decode", 2, 1.1, List.of(stage("decode", 1)))),
                task(1, stage("train", 0.1)),
                null,
                List.of());

        Limit limit = model.limit().orElseThrow();
        assertThat(limit.kind()).isEqualTo(Kind.STRAGGLER);
        assertThat(limit.samplesPerSecond()).isCloseTo(1_100, within(1e-6));
        assertThat(model.without(limit).limit().orElseThrow()).isEqualTo(new Limit(Kind.SLOTS, "decode", 2_000));
    }

    @Test
    void externalBoundIsTheLimitWhenItIsTightest() {
        Limit network = new Limit(Kind.NETWORK, "network", 900);
        CapacityModel model = new CapacityModel(
                List.of(task(2, stage("decode", 1))), task(1, stage("train", 0.1)), null, List.of(network));

        assertThat(model.limit()).contains(network);
        assertThat(model.without(network).limit()).contains(new Limit(Kind.SLOTS, "decode", 2_000));
    }

    @Test
    void stageWithUnknownCostIsReportedAndIsNoLimit() {
        StageCost decode = new StageCost("decode", 1, null, null);
        CapacityModel model = model(2.0, task(1, stage("train", 1)), task(2, decode, stage("crop", 0.5)));

        assertThat(model.limits()).containsExactly(new Limit(Kind.TRAINING, "train", 1_000));
        assertThat(model.unknown()).containsExactly("decode");
        assertThat(model.slotsFor(10_000)).isEmpty();
    }

    @Test
    void stagesWithoutCostAreNoLimit() {
        CapacityModel model = model(2.0, task(1, stage("train", 0)), task(2, stage("read", 0)));

        assertThat(model.limit()).isEmpty();
        assertThat(model.path()).isEmpty();
        assertThat(model.ceiling()).isEmpty();
    }

    @Test
    void slotsForATargetFollowDs2() {
        CapacityModel model =
                model(null, task(1, stage("train", 0.2)), task(2, stage("decode", 2)), task(1, stage("pack", 0.1)));

        assertThat(model.slotsFor(5_000)).isEqualTo(Map.of("decode", 10, "pack", 1));
        assertThat(model.withSlots("decode", 10).limit().orElseThrow().samplesPerSecond())
                .isCloseTo(5_000, within(1e-6));
    }

    @Test
    void invalidValuesAreRejected() {
        assertThatThrownBy(() -> new StageCost("decode", 1, -1.0, null))
                .hasMessage("decode: own seconds: expected a finite number of at least 0, found -1.0");
        assertThatThrownBy(() -> new Task("decode", 0, List.of())).hasMessageContaining("expected at least 1, found 0");
        assertThatThrownBy(() -> model(0.0, task(1, stage("train", 1)))).hasMessageContaining("cores");
        assertThatThrownBy(() -> model(null, task(1, stage("transfer", 1)))).hasMessageContaining("'train'");
    }

    @Property
    void removingALimitNeverMakesThePipelineSlower(
            @ForAll @IntRange(min = 1, max = 16) int slots,
            @ForAll @DoubleRange(min = 0.01, max = 10) double decode,
            @ForAll @DoubleRange(min = 0.01, max = 10) double crop,
            @ForAll @DoubleRange(min = 0.01, max = 10) double train,
            @ForAll @DoubleRange(min = 1, max = 64) double cores) {
        CapacityModel model =
                model(cores, task(1, stage("train", train)), task(slots, stage("decode", decode), stage("crop", crop)));

        double before = 0;
        for (Limit limit : model.path()) {
            assertThat(limit.samplesPerSecond()).isGreaterThanOrEqualTo(before);
            before = limit.samplesPerSecond();
        }
        // The last limit is below the ceiling only when training uses most of the cores and another stage uses the
        // rest.
        assertThat(before).isLessThanOrEqualTo(model.ceiling().orElseThrow() * (1 + 1e-9));
    }

    @Property
    void slotsForATargetReachItAndOneSlotLessDoesNot(
            @ForAll @DoubleRange(min = 0.01, max = 10) double decode,
            @ForAll @DoubleRange(min = 1, max = 100_000) double target) {
        CapacityModel model = model(null, task(1, stage("train", 1e-6)), task(3, stage("decode", decode)));

        int slots = model.slotsFor(target).getOrDefault("decode", 0);

        assertThat(model.withSlots("decode", slots).limit().orElseThrow().samplesPerSecond())
                .isGreaterThanOrEqualTo(target * (1 - 1e-8));
        if (slots > 1) {
            assertThat(model.withSlots("decode", slots - 1)
                            .limit()
                            .orElseThrow()
                            .samplesPerSecond())
                    .isLessThan(target);
        }
    }
}

package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PredictorTest {
    private static final CoreSlowdown NONE = new CoreSlowdown(0, 0);
    private static final CoreSlowdown HALF = new CoreSlowdown(0.25, 0.5);
    private static final double NOISE = 0.12;

    /** A slot that sleeps for 10 ms for each sample, and a stage and a trainer that compute for 1 ms. */
    private static CapacityModel model(double sleeps, double cores, double allCores) {
        Task slow = new Task("sleep", 1, List.of(new StageCost("sleep", 1, sleeps, 0.0)));
        Task fast = new Task("compute", 1, List.of(new StageCost("compute", 1, 0.001, 0.001)));
        Task trainer = new Task("train", 1, List.of(new StageCost("train", 1, 0.0005, 0.0005)));
        return new CapacityModel(List.of(slow, fast), trainer, cores, allCores, List.of());
    }

    private static Prediction predict(
            CapacityModel model, double measured, @Nullable CoreUse use, UnaryOperator<CapacityModel> change) {
        return new Predictor(model, new Observed(measured, 0.5), use)
                .predict(change.apply(model))
                .orElseThrow();
    }

    private static CapacityModel fixed(CapacityModel model) {
        return model.scaled("sleep", 0);
    }

    @Test
    void throughputThatNothingMakesUncertainHasTheRangeOfTheMeasurement() {
        CoreUse use = new CoreUse(2, 0.15, 0, 1, NONE);

        Prediction prediction = predict(model(0.01, 2, 2), 100, use, PredictorTest::fixed);

        assertThat(prediction.likely()).isCloseTo(1_000, within(1.0));
        assertThat(prediction.low()).isCloseTo(1_000 * (1 - NOISE), within(1.0));
        assertThat(prediction.high()).isCloseTo(1_000 * (1 + NOISE), within(1.0));
    }

    @Test
    void sleepingStagesAreExactOnSlowCores() {
        CoreUse use = new CoreUse(2, 0.15, 0, 1, HALF);

        Prediction prediction = predict(model(0.01, 2, 2), 100, use, model -> model.scaled("sleep", 0.5));

        assertThat(prediction.low()).isCloseTo(200 * (1 - NOISE), within(1.0));
        assertThat(prediction.high()).isCloseTo(200 * (1 + NOISE), within(1.0));
    }

    /** After the change 1.5 cores compute, where 0.15 did. */
    @Test
    void computingStagesTakeLongerWhenMoreCoresAreBusy() {
        CoreUse use = new CoreUse(2, 0.15, 0, 1, HALF);

        Prediction prediction = predict(model(0.01, 2, 2), 100, use, PredictorTest::fixed);

        // All cores but one are half busy, so the slowdown is half of that of all cores.
        assertThat(prediction.likely()).isCloseTo(1_000 / 1.125, within(10.0));
        assertThat(prediction.low()).isCloseTo(1_000 / 1.25 * (1 - NOISE), within(10.0));
        assertThat(prediction.high()).isCloseTo(1_000 * (1 + NOISE), within(1.0));
    }

    /** The job uses half a core more than its stages, which may grow with the throughput up to 5 cores. */
    @Test
    void workThatNoStageAccountsForMayGrowWithTheThroughput() {
        CoreUse use = new CoreUse(2, 0.65, 0, 1, NONE);

        Prediction prediction = predict(model(0.01, 2, 2), 100, use, PredictorTest::fixed);

        // 1.5 ms of the stages and as much other work per sample; the rest of the half core is constant.
        assertThat(prediction.low()).isCloseTo((2 - (0.5 - 0.15)) / 0.003 * (1 - NOISE), within(5.0));
        assertThat(prediction.high()).isCloseTo(1_000 * (1 + NOISE), within(1.0));
    }

    @Test
    void otherProgramsMayKeepTheirCoreOrShareIt() {
        CoreUse use = new CoreUse(2, 0.15, 1, 1, NONE);

        Prediction prediction = predict(model(0.01, 2, 2), 100, use, PredictorTest::fixed);

        assertThat(prediction.low()).isCloseTo(1 / 0.0015 * (1 - NOISE), within(5.0));
        // Two threads that are always ready, and one that is ready half of the time, share two cores.
        assertThat(prediction.likely()).isCloseTo(2 / 2.5 / 0.001, within(5.0));
    }

    /** Threads had 4/9 of a core each: one and a half of the job, two of a program that ends, and one of another program. */
    @Test
    void programsThatRemainUseFreedCoresToo() {
        double each = 4 / 9.0;
        CapacityModel model = model(0, 1.5 * each, 2);
        CoreUse use = new CoreUse(2, 1.5 * each, 3 * each, each, NONE);

        Prediction prediction = predict(model, each / 0.001, use, measured -> measured.withMoreCores(2 * each));

        // One of the threads that are left is ready half of the time.
        assertThat(prediction.likely()).isCloseTo(2 / 2.5 / 0.001, within(5.0));
        assertThat(prediction.high()).isCloseTo(1_000 * (1 + NOISE), within(1.0));
    }

    /** A slot that computes beside two busy loops has two thirds of a core. Eight slots have eight tenths of the two cores. */
    @Test
    void moreSlotsGetMoreOfTheCoresThatOtherProgramsUseToo() {
        Task slot = new Task("decode", 1, List.of(new StageCost("decode", 1, 0.01, 0.01)));
        Task trainer = new Task("train", 1, List.of(new StageCost("train", 1, 1e-6, 1e-6)));
        CapacityModel model = new CapacityModel(List.of(slot), trainer, 2 / 3.0, 2.0, List.of());
        CoreUse use = new CoreUse(2, 2 / 3.0, 4 / 3.0, 2 / 3.0, NONE);

        Prediction prediction = predict(model, 200 / 3.0, use, measured -> measured.withSlots("decode", 8));

        assertThat(prediction.likely()).isCloseTo(0.8 * 200, within(1.0));
        assertThat(prediction.low())
                .as("if the loops keep their cores")
                .isCloseTo(200 / 3.0 * (1 - NOISE), within(1.0));
        assertThat(prediction.high()).isCloseTo(0.8 * 200 * (1 + NOISE), within(1.0));
    }

    @Test
    void slotsThatWaitHardlyNeedAShareOfTheCores() {
        Task slot = new Task("ask", 1, List.of(new StageCost("ask", 1, 0.01, 0.0001)));
        Task trainer = new Task("train", 1, List.of(new StageCost("train", 1, 1e-6, 1e-6)));
        CapacityModel model = new CapacityModel(List.of(slot), trainer, 0.1, 2.0, List.of());
        CoreUse use = new CoreUse(2, 0.01, 1.99, 0.1, NONE);

        Prediction prediction = predict(model, 100, use, measured -> measured.withSlots("ask", 8));

        assertThat(prediction.likely()).isCloseTo(800, within(1.0));
    }

    @Test
    void differenceOfModelAndMeasurementMayRemain() {
        CoreUse use = new CoreUse(2, 0.12, 0, 1, NONE);

        Prediction prediction = predict(model(0.01, 2, 2), 80, use, PredictorTest::fixed);

        assertThat(prediction.likely()).isCloseTo(800, within(1.0));
        assertThat(prediction.low()).isCloseTo(800 * (1 - NOISE), within(1.0));
        assertThat(prediction.high()).isCloseTo(1_000 * (1 + NOISE), within(1.0));
    }

    /** Collections stop the slot for 6 of 10 ms. Afterwards, a twentieth of them remains, or at most a fifth of the time. */
    @Test
    void someGarbageCollectionsMayRemain() {
        Prediction prediction = predictWithout(collecting(0.6));

        assertThat(prediction.low()).isCloseTo(250 * 0.8 * (1 - NOISE), within(0.1));
        assertThat(prediction.likely()).isCloseTo(1 / (0.004 + 0.006 / 20), within(0.1));
        assertThat(prediction.high()).isCloseTo(250 * (1 + NOISE), within(0.1));
    }

    @Test
    void garbageCollectionsThatRemainAreNoLimit() {
        assertThat(predictWithout(collecting(0.9)).likely()).isCloseTo(1_000 * 0.8, within(0.1));
    }

    /** A slot that needs 10 ms for each sample, of which collections take a share. */
    private static CapacityModel collecting(double share) {
        double computes = 0.01 * (1 - share);
        Task slot = new Task("decode", 1, List.of(new StageCost("decode", 1, 0.01, computes)));
        Task trainer = new Task("train", 1, List.of(new StageCost("train", 1, 0.0005, 0.0005)));
        return new CapacityModel(List.of(slot), trainer, null, null, List.of(), share);
    }

    private static Prediction predictWithout(CapacityModel model) {
        return predict(
                model, 100, null, measured -> measured.without(measured.limit().orElseThrow()));
    }

    @Test
    void unknownUseOfTheCoresLeavesTheModelAsItIs() {
        assertThat(predict(model(0.01, 2, 2), 100, null, PredictorTest::fixed).likely())
                .isCloseTo(1_000, within(1.0));
    }

    @Test
    void rangeIsWrittenWithItsEnds() {
        assertThat(new Prediction(2_931.4, 3_000, 3_120).text()).isEqualTo("2,931 to 3,120");
        assertThat(new Prediction(99.94, 99.96, 99.97).text()).isEqualTo("99.9 to 100.0");
        assertThat(new Prediction(120.1, 120.2, 120.3).text()).isEqualTo("120");
        assertThat(new Prediction(1, 2, 3).atMost(1.5)).isEqualTo(new Prediction(1, 1.5, 1.5));
    }

    @Test
    void impossibleValuesAreRejected() {
        assertThatThrownBy(() -> new Prediction(2, 1, 3))
                .hasMessage("expected 0 < low <= likely <= high, found 2.0, 1.0, 3.0");
        assertThatThrownBy(() -> new CoreSlowdown(0.5, 0.1)).hasMessage("expected 0 <= likely <= most, found 0.5, 0.1");
        assertThatThrownBy(() -> new CoreUse(0, 1, 1, 1, NONE)).hasMessageContaining("expected cores above 0");
    }

    @Test
    void slowdownOfThisMachineIsMeasured() throws Exception {
        CoreSlowdown slowdown = CoreSlowdown.measure();

        assertThat(slowdown.likely()).isBetween(0.0, 3.0);
        assertThat(slowdown.most()).isGreaterThanOrEqualTo(slowdown.likely());
    }
}

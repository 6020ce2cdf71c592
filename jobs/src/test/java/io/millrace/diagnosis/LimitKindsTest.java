package io.millrace.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.diagnosis.Limit.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the cause that is named for a limit, on cases that can be calculated on paper. Each limit is 100 samples/s. */
class LimitKindsTest {
    private static StageCost stage(String name, double records, double ownMillis, double cpuMillis) {
        return new StageCost(name, records, ownMillis / 1e3, cpuMillis / 1e3);
    }

    private static Task task(int slots, StageCost... stages) {
        return new Task(stages[0].name(), slots, List.of(stages));
    }

    private static CapacityModel model(@Nullable Double cores, Task trainer, Task... tasks) {
        return new CapacityModel(List.of(tasks), trainer, cores, 2.0, List.of());
    }

    private static final Task QUICK_TRAINER = task(1, stage("train", 1, 1, 1));

    private static Limit limit(CapacityModel model) {
        Limit limit = model.limit().orElseThrow();
        return new Limit(limit.kind(), limit.culprit(), Math.round(limit.samplesPerSecond() * 1e6) / 1e6);
    }

    @Test
    void waitingReadersAreLimitedByTheStorage() {
        CapacityModel model = model(null, QUICK_TRAINER, task(4, stage("read", 1, 40, 1)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.STORAGE, "read", 100));
        assertThat(limit(model.without(limit(model)))).isEqualTo(new Limit(Kind.TRAINING, "train", 1_000));
    }

    @Test
    void computingReadersAreLimitedByTheirThreads() {
        assertThat(limit(model(null, QUICK_TRAINER, task(4, stage("read", 1, 40, 35)))))
                .isEqualTo(new Limit(Kind.SLOTS, "read", 100));
    }

    @Test
    void waitingTransferIsLimitedByTheLink() {
        CapacityModel model = model(null, task(1, stage("train", 1, 2, 2), stage("transfer", 1, 8, 0.1)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.LINK, "transfer", 100));
        assertThat(limit(model.scaled("transfer", 0.25))).isEqualTo(new Limit(Kind.TRAINING, "train", 250));
        assertThat(limit(model(null, task(1, stage("train", 1, 2, 2), stage("transfer", 1, 8, 7))))
                        .kind())
                .isEqualTo(Kind.TRAINER);
    }

    @Test
    void fewCostlySamplesAreDistinguishedFromACostlyStage() {
        StageCost decode = new StageCost("decode", 1, 18e-3, 9e-3, 1e-3);
        CapacityModel model = model(null, QUICK_TRAINER, task(2, decode, stage("crop", 1, 2, 2)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.SAMPLES, "decode", 100));
        CapacityModel even = model.without(limit(model));
        assertThat(limit(even).samplesPerSecond()).isCloseTo(2 / 3e-3, within(1e-6));
        assertThat(even.tasks().get(0).stages().get(0).cpuSeconds()).isCloseTo(0.5e-3, within(1e-9));
        assertThat(limit(even).kind()).isEqualTo(Kind.SLOTS);
    }

    @Test
    void stagesOfEvaluationOnTheDataServersAreNamedAsOne() {
        CapacityModel model = model(
                null,
                QUICK_TRAINER,
                task(
                        2,
                        stage("decode", 1, 6, 6),
                        stage("evaluate-decode", 3, 2, 2),
                        stage("evaluate-crop", 3, 2, 2),
                        stage("pack", 4, 0.5, 0.5)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.EVALUATION, "evaluate", 100));
        // With half the evaluations: 6 + 3 + 3 ms, and 1.25 ms because packing then handles 2.5 samples per trained
        // sample.
        assertThat(limit(model.evaluating(0.5)).samplesPerSecond()).isCloseTo(2 / 13.25e-3, within(1e-6));
        assertThat(limit(model.without(limit(model))).samplesPerSecond()).isCloseTo(2 / 6.5e-3, within(1e-6));
    }

    @Test
    void stageThatTakesMostOfTheEvaluationIsNamed() {
        CapacityModel model = model(
                null,
                QUICK_TRAINER,
                task(2, stage("decode", 1, 4, 4), stage("evaluate-decode", 3, 5, 5), stage("pack", 4, 0.25, 0.25)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.EVALUATION, "evaluate-decode", 100));
        assertThat(limit(model.without(limit(model)))).isEqualTo(new Limit(Kind.SLOTS, "decode", 400));
        assertThat(Verdict.of(model, new Observed(100.0, 0.9)).line())
                .startsWith("limited by evaluate-decode (evaluation): 100 samples/s; fixed 352 to 448, then decode");
    }

    /** The slot computes for 4 ms and is stopped for 6 ms of each sample. */
    @Test
    void garbageCollectionsThatStopTheThreadsAreNamedBeforeAnyStage() {
        CapacityModel model = new CapacityModel(
                List.of(task(1, stage("decode", 1, 8, 3), stage("crop", 1, 2, 1))),
                QUICK_TRAINER,
                null,
                null,
                List.of(),
                0.6);

        assertThat(limit(model)).isEqualTo(new Limit(Kind.COLLECTIONS, "garbage collection", 100));
        assertThat(limit(model.without(limit(model)))).isEqualTo(new Limit(Kind.SLOTS, "decode", 238.095238));
        assertThat(Verdict.of(model, new Observed(100.0, 0.8)).line())
                .startsWith("limited by garbage collection: 100 samples/s; fixed 168 to 267, then decode");
    }

    /** The step waits for a device or for native code, which a collection does not stop. */
    @Test
    void garbageCollectionsDoNotSlowDownATrainerThatIsBusy() {
        Task trainer = new Task("train", 1, List.of(stage("train", 1, 10, 0.5)));
        CapacityModel model =
                new CapacityModel(List.of(task(1, stage("decode", 1, 5, 4))), trainer, null, null, List.of(), 0.5);

        assertThat(limit(model)).isEqualTo(new Limit(Kind.TRAINING, "train", 100));
    }

    /** The median record takes a twentieth of the mean: the others were stopped by collections. */
    @Test
    void recordsThatWereNotStoppedShowTheCostWithoutGarbageCollections() {
        CapacityModel model = new CapacityModel(
                List.of(task(1, new StageCost("decode", 1, 0.02, 0.015, 0.001))),
                QUICK_TRAINER,
                null,
                null,
                List.of(),
                0.5);

        assertThat(limit(model)).isEqualTo(new Limit(Kind.COLLECTIONS, "garbage collection", 50));
        assertThat(limit(model.without(limit(model))).samplesPerSecond()).isEqualTo(1_000);
    }

    @Test
    void garbageCollectionsLeaveTheStagesLessOfTheCores() {
        CapacityModel model = new CapacityModel(
                List.of(task(4, stage("decode", 1, 10, 10))),
                task(1, stage("train", 1, 2, 2)),
                2.0,
                2.0,
                List.of(),
                0.5);

        assertThat(limit(model)).isEqualTo(new Limit(Kind.COLLECTIONS, "garbage collection", 83.333333));
        assertThat(limit(model.without(limit(model)))).isEqualTo(new Limit(Kind.CORES, "decode", 166.666667));
    }

    /** The threads that are stopped would wait for the trainer anyway. */
    @Test
    void garbageCollectionsWithoutInfluenceAreNotNamed() {
        CapacityModel model = new CapacityModel(
                List.of(task(2, stage("decode", 1, 4, 2))),
                task(1, stage("train", 1, 10, 10)),
                null,
                null,
                List.of(),
                0.3);

        assertThat(limit(model)).isEqualTo(new Limit(Kind.TRAINING, "train", 100));
    }

    @Test
    void evaluationInTheTrainerIsNamed() {
        CapacityModel model = model(null, task(1, stage("train", 1, 3, 3), stage("evaluate", 1, 7, 7)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.EVALUATION, "evaluate", 100));
        assertThat(model.path()).last().isEqualTo(new Limit(Kind.TRAINING, "train", 1_000 / 3.0));
    }

    @Test
    void otherProgramsThatUseTheCoresAreNamedBeforeAnyStage() {
        CapacityModel model = model(1.0, QUICK_TRAINER, task(2, stage("decode", 1, 9, 9)));

        assertThat(limit(model)).isEqualTo(new Limit(Kind.OTHERS, "other programs", 100));
        assertThat(limit(model.without(limit(model)))).isEqualTo(new Limit(Kind.CORES, "decode", 200));
        assertThat(model.path()).last().extracting(Limit::kind).isEqualTo(Kind.TRAINING);
    }
}

package io.millrace.diagnosis;

import static io.millrace.rest.Readings.nanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.metrics.Figures;
import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import io.millrace.rest.TrainerReading;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests on an invented run of 10 s with two slots and 4,000 samples. The slots decode most of the time, and the trainer waits
 * most of the time.
 */
class MeasurementTest {
    private static final Setting SETTING = new Setting(4, 1, 1);
    private static final double SECONDS = 10;

    private static StageReading stage(String name, long records, double own, double cpu, double coreWait) {
        return StageReading.unknown(name, 2)
                .with(Figures.RECORDS, records)
                .with(Figures.OWN_NANOS, nanos(own))
                .with(Figures.CPU_NANOS, nanos(cpu))
                .with(Figures.WAIT_IN_NANOS, nanos(0.0))
                .with(Figures.WAIT_OUT_NANOS, nanos(0.0))
                .with(Figures.BYTES_PRODUCED, 0)
                .with(Figures.FAILURES, 0)
                .with(Figures.CORE_WAIT_NANOS, nanos(coreWait));
    }

    private static TrainerReading trainer(long samples, double starved, double transfer, double step) {
        return TrainerReading.UNKNOWN
                .with(Figures.STEPS, samples / 64)
                .with(Figures.SAMPLES, samples)
                .with(Figures.EPOCH, 0)
                .with(Figures.LOSS, 1.0)
                .with(Figures.STARVED_NANOS, nanos(starved))
                .with(Figures.STEP_NANOS, nanos(step))
                .with(Figures.TRANSFER_NANOS, nanos(transfer))
                .with(Figures.EVALUATION_NANOS, nanos(0.0))
                .with(Figures.WAITING_ROWS, 0)
                .with(Figures.ASSEMBLE_NANOS, nanos(100.0))
                .with(Figures.CHECKPOINTS, 0)
                .with(Figures.CHECKPOINT_COPY_NANOS, nanos(0.0))
                .with(Figures.CHECKPOINT_DRAIN_NANOS, nanos(0.0))
                .with(Figures.CPU_NANOS, nanos(transfer + step))
                .with(Figures.BYTES_PRODUCED, 0)
                .with(Figures.CORE_WAIT_NANOS, nanos(0.0));
    }

    private static TaskReading task(@Nullable Double busy, @Nullable Double backPressured, String... stages) {
        return new TaskReading(String.join(" -> ", stages), 2, List.of(stages), busy, null, backPressured);
    }

    /** A packing stage that waited to emit for 14 s of the 20 s of its two slots. */
    private static final StageReading BLOCKED_PACKING =
            stage("pack", 4_000, 800, 700, 0).with(Figures.WAIT_OUT_NANOS, nanos(14_000.0));

    /** Returns the second reading, with all stages in one task, on unknown machines. */
    private static JobReading chain(StageReading... stages) {
        return new JobReading(
                "RUNNING",
                List.of(stages),
                trainer(4_000, 8_000, 400, 1_600),
                List.of(task(
                        null, 0.0, Stream.of(stages).map(StageReading::name).toArray(String[]::new))),
                MachinesReading.UNKNOWN);
    }

    private static final JobReading BEFORE = new JobReading(
            "RUNNING",
            List.of(StageReading.unknown("read"), StageReading.unknown("decode"), StageReading.unknown("pack")),
            TrainerReading.UNKNOWN,
            List.of(),
            MachinesReading.UNKNOWN);

    private static JobReading after(double coreWait, TaskReading... tasks) {
        return new JobReading(
                "RUNNING",
                List.of(
                        stage("read", 4_000, 400, 200, 0),
                        stage("decode", 4_000, 16_000, 15_000, coreWait),
                        stage("pack", 4_000, 800, 700, coreWait)),
                trainer(4_000, 8_000, 400, 1_600),
                List.of(tasks),
                new MachinesReading(1, 8, 3.0, 2.0));
    }

    private static Measurement measure(JobReading after) {
        return Measurement.of(BEFORE, after, SECONDS, SETTING).orElseThrow();
    }

    @Test
    void stagesOfAChainShareSlotsAndReadingHasSeparateThreads() {
        Measurement measured = measure(after(0, task(null, 0.0, "read", "decode", "pack"), task(null, null, "train")));

        assertThat(measured.model().tasks())
                .extracting(Task::name, Task::slots)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("read", 8),
                        org.assertj.core.groups.Tuple.tuple("decode", 2),
                        org.assertj.core.groups.Tuple.tuple("assemble", 1));
        Limit limit = measured.verdict().limit().orElseThrow();
        assertThat(limit.culprit()).isEqualTo("decode");
        assertThat(limit.samplesPerSecond()).isCloseTo(400, within(1.0)); // scaled to the measured throughput
        assertThat(measured.model().limit().orElseThrow().samplesPerSecond()).isCloseTo(2 * 4_000 / 16.8, within(0.1));
        assertThat(measured.observed()).isEqualTo(new Observed(400.0, 0.8));
        assertThat(measured.model().ceiling().orElseThrow()).isCloseTo(2_500, within(0.1));
    }

    @Test
    void timeWithoutACoreIsNotWork() {
        Measurement measured = measure(after(4_200, task(null, 0.0, "read", "decode", "pack")));

        // Other programs used a quarter of the chain's 16.8 s. The CPU time of decode, 15 s, is the minimum of its own
        // time.
        StageCost decode = measured.model().tasks().get(1).stages().get(0);
        assertThat(decode.ownSeconds()).isCloseTo(15.0 / 4_000, within(1e-9));
        StageCost pack = measured.model().tasks().get(1).stages().get(1);
        assertThat(pack.ownSeconds()).isCloseTo(0.7 / 4_000, within(1e-9));
    }

    /** Delay and decode each had 8 s. Delay slept for all but 0.1 s; decode computed or waited for a core. */
    @Test
    void waitingForACoreIsChargedToStagesThatCompute() {
        JobReading after = new JobReading(
                "RUNNING",
                List.of(
                        stage("read", 4_000, 400, 200, 0),
                        stage("Delay", 4_000, 8_000, 100, 4_100),
                        stage("decode", 4_000, 8_000, 4_000, 4_100)),
                trainer(4_000, 8_000, 400, 1_600),
                List.of(task(null, 0.0, "read", "Delay", "decode")),
                new MachinesReading(1, 8, 3.0, 2.0));

        List<StageCost> stages = measure(after).model().tasks().get(1).stages();

        assertThat(stages.get(0).ownSeconds()).isCloseTo(7.9 / 4_000, within(1e-9));
        assertThat(stages.get(1).ownSeconds()).isCloseTo(4.0 / 4_000, within(1e-9));
    }

    @Test
    void coresOfOtherProgramsDoNotCountWhenThreadsWaitForThem() {
        CapacityModel contended =
                measure(after(4_200, task(null, 0.0, "read", "decode", "pack"))).model();

        assertThat(contended.cores()).isEqualTo(7.0);
        assertThat(contended.allCores()).isEqualTo(8.0);
    }

    /** A pipeline with `model: none` has no step. It limits nothing, and hides no limit. */
    @Test
    void coresCountWithATrainerThatDoesNothing() {
        JobReading after = new JobReading(
                "RUNNING",
                List.of(stage("read", 4_000, 400, 200, 0), stage("blur", 4_000, 20_000, 7_000, 13_000)),
                trainer(4_000, 10_000, 0, 0),
                List.of(task(null, 0.0, "read", "blur")),
                new MachinesReading(1, 2, 2.0, 0.75));

        Measurement measured = measure(after);

        assertThat(measured.model().unknown()).isEmpty();
        Limit limit = measured.verdict().limit().orElseThrow();
        assertThat(limit.kind()).isEqualTo(Limit.Kind.OTHERS);
        assertThat(limit.culprit()).isEqualTo(CapacityModel.OTHERS);
    }

    @Test
    void coresOfOtherProgramsCountWhenNoThreadWaitsForThem() {
        assertThat(measure(after(0, task(null, 0.0, "read", "decode", "pack")))
                        .model()
                        .cores())
                .isEqualTo(8.0);
    }

    @Test
    void residentDataIsReadByTheThreadOfTheChain() {
        Measurement measured = Measurement.of(
                        BEFORE, after(0, task(null, 0.0, "read", "decode", "pack")), SECONDS, new Setting(0, 1, 1))
                .orElseThrow();

        Task chain = measured.model().tasks().get(0);
        assertThat(chain.name()).isEqualTo("read");
        assertThat(chain.slots()).isEqualTo(2);
        assertThat(chain.stages()).extracting(StageCost::name).containsExactly("read", "decode", "pack");
    }

    @Test
    void operatorsWithoutFiguresAreIgnored() {
        Measurement measured =
                measure(after(0, task(null, 0.0, "read", "decode", "pack"), task(null, null, "network", "train")));

        assertThat(measured.model().unknown()).isEmpty();
    }

    @Test
    void fewCostlySamplesAreNamedAndTheirRemovalIsPredicted() {
        StageReading uneven = stage("decode", 4_000, 16_000, 16_000, 0)
                .with(Figures.OWN_NANOS_PER_RECORD.of(Part.MEDIAN), nanos(0.5))
                .with(Figures.OWN_NANOS_PER_RECORD.of(Part.P99), nanos(100.0))
                .with(Figures.OWN_NANOS_PER_RECORD.of(Part.MAX), nanos(120.0));
        JobReading after = chain(uneven);

        Measurement measured = measure(after);

        assertThat(measured.model().limit().orElseThrow().kind()).isEqualTo(Limit.Kind.SAMPLES);
        assertThat(measured.predicted(
                        model -> model.without(measured.model().limit().orElseThrow())))
                .hasValueSatisfying(
                        prediction -> assertThat(prediction.likely()).isCloseTo(2_000, within(1.0)));
    }

    @Test
    void backPressureInOneReadingDoesNotOverrideMeasuredWork() {
        Measurement measured = measure(after(0, task(null, 900.0, "read", "decode", "pack")));

        assertThat(measured.verdict().limit().orElseThrow().kind()).isEqualTo(Limit.Kind.SLOTS);
    }

    @Test
    void packingThatWaitsToEmitIsLimitedByTheNetwork() {
        JobReading after = chain(BLOCKED_PACKING);

        Limit limit = measure(after).verdict().limit().orElseThrow();

        assertThat(limit).isEqualTo(new Limit(Limit.Kind.NETWORK, "network", 400));
        assertThat(measure(after)
                        .model()
                        .without(new Limit(Limit.Kind.NETWORK, "network", 1))
                        .bounds())
                .isEmpty();
    }

    /** The assembly works in the same thread as packing, which waits for it and not for a network. */
    @Test
    void oneTaskWithTheTrainerIsNotLimitedByTheNetwork() {
        List<StageReading> stages = List.of(stage("read", 4_000, 400, 400, 0), BLOCKED_PACKING);
        Measurement measured = measure(new JobReading(
                "RUNNING",
                stages,
                trainer(4_000, 8_000, 400, 1_600),
                List.of(task(null, 0.0, "read", "pack", "train")),
                MachinesReading.UNKNOWN));

        assertThat(measured.verdict().path()).extracting(Limit::kind).doesNotContain(Limit.Kind.NETWORK);
        assertThat(measured.model().tasks())
                .filteredOn(task -> task.has("pack"))
                .singleElement()
                .satisfies(task -> assertThat(task.has(CapacityModel.ASSEMBLE)).isTrue());
    }

    @Test
    void sourceThatCannotEmitIsLimitedByTheNetwork() {
        StageReading read = stage("read", 4_000, 400, 400, 0).with(Figures.WAIT_IN_NANOS, nanos(1_000.0));
        JobReading after = chain(read, stage("decode", 4_000, 4_000, 4_000, 0), stage("pack", 4_000, 800, 700, 0));

        // The two slots worked for 5.2 s of their 20 s, and had nothing to emit for 1 s.
        assertThat(measure(after).verdict().limit().orElseThrow().kind()).isEqualTo(Limit.Kind.NETWORK);
    }

    /** The stages have reported only 4 of the 10 s so far. They worked all the time in these 4 s. */
    @Test
    void stagesThatReportLateAreNotLimitedByTheNetwork() {
        JobReading after = chain(stage("read", 1_600, 160, 160, 0), stage("pack", 1_600, 7_800, 700, 0));

        Verdict verdict = measure(after).verdict();

        assertThat(verdict.limit().orElseThrow().kind()).isEqualTo(Limit.Kind.SLOTS);
        assertThat(verdict.path()).extracting(Limit::kind).doesNotContain(Limit.Kind.NETWORK);
    }

    /** Rows waited for a long time before the trainer began. Since then the stages have worked all the time. */
    @Test
    void stagesThatAlwaysWorkAreNotLimitedByTheNetwork() {
        JobReading after = chain(stage("decode", 4_000, 18_000, 17_000, 0), BLOCKED_PACKING);

        assertThat(measure(after).verdict().limit().orElseThrow().culprit()).isEqualTo("decode");
        assertThat(measure(after).model().bounds()).isEmpty();
    }

    @Test
    void differingBusyTimeOfFlinkIsReported() {
        Measurement measured = measure(
                after(0, task(null, 0.0, "read"), task(200.0, 0.0, "decode", "pack"), task(null, null, "train")));

        assertThat(measured.contradictions())
                .containsExactly("task 'decode -> pack': Flink reports 20 % busy time, its stages account for 84 %");
    }

    @Test
    void slowSlotIsNamedAsStraggler() {
        StageReading slow = stage("decode", 4_000, 20_000, 20_000, 0)
                .with(Figures.RECORDS_PER_OWN_SECOND.of(OverSlots.SUM), 440.0)
                .with(Figures.RECORDS_PER_OWN_SECOND.of(OverSlots.GREATEST), 400.0);
        JobReading after = chain(slow);

        Limit limit = measure(after).model().limit().orElseThrow();

        assertThat(limit.kind()).isEqualTo(Limit.Kind.STRAGGLER);
        assertThat(limit.samplesPerSecond()).isCloseTo(440, within(0.1));
        assertThat(measure(after).model().without(limit).limit().orElseThrow().samplesPerSecond())
                .isCloseTo(800, within(0.1));
    }

    @Test
    void onlyTheTimeBetweenTheReadingsCounts() {
        JobReading middle = after(0, task(null, 0.0, "read", "decode", "pack"));
        JobReading later = new JobReading(
                "RUNNING",
                List.of(stage("decode", 6_000, 18_000, 17_000, 0)),
                trainer(6_000, 8_000, 600, 2_400),
                List.of(task(null, 0.0, "decode")),
                MachinesReading.UNKNOWN);

        Measurement measured = Measurement.of(middle, later, 5, SETTING).orElseThrow();

        assertThat(measured.observed()).isEqualTo(new Observed(400.0, 0.0));
        StageCost decode = measured.model().tasks().get(0).stages().get(0);
        assertThat(decode.ownSeconds()).isCloseTo(1e-3, within(1e-9));
        assertThat(decode.recordsPerSample()).isEqualTo(1);
    }

    @Test
    void noTrainedSampleGivesNoMeasurement() {
        Optional<Measurement> none = Measurement.of(BEFORE, BEFORE, SECONDS, SETTING);

        assertThat(none).isEmpty();
    }

    /** Stages that have reported nothing yet would seem to cost nothing. */
    @Test
    void stagesWithoutNewFiguresGiveNoMeasurement() {
        JobReading before = chain(stage("read", 4_000, 400, 200, 0), stage("pack", 4_000, 800, 700, 0));
        JobReading after = new JobReading(
                before.state(), before.stages(), trainer(6_000, 8_000, 600, 2_400), before.tasks(), before.machines());

        assertThat(Measurement.of(before, after, SECONDS, SETTING)).isEmpty();
    }

    private static JobReading collecting(JobReading reading, double millis) {
        return new JobReading(
                reading.state(),
                reading.stages(),
                reading.trainer().with(Figures.CHECKPOINT_WRITE_NANOS, nanos(millis)),
                reading.tasks(),
                new MachinesReading(1, 8, 3.0, 2.0, millis));
    }

    /** Collections stop the process for 6 s of the 10 s. */
    @Test
    void garbageCollectionsThatTakeMostOfTheTimeAreNamed() {
        JobReading after = chain(stage("read", 4_000, 200, 200, 0), stage("decode", 4_000, 19_000, 7_000, 0));

        Measurement measured = measure(collecting(BEFORE, 1_000), collecting(after, 7_000));

        assertThat(measured.model().collecting()).isCloseTo(0.6, within(1e-9));
        assertThat(measured.verdict().limit().orElseThrow().kind()).isEqualTo(Limit.Kind.COLLECTIONS);
        assertThat(measured.observed().storing()).isCloseTo(0.6, within(1e-9));
    }

    @Test
    void rareOrUnknownGarbageCollectionsAreNoLimit() {
        JobReading after = chain(stage("read", 4_000, 200, 200, 0), stage("decode", 4_000, 19_000, 7_000, 0));

        assertThat(measure(collecting(BEFORE, 1_000), collecting(after, 2_900))
                        .model()
                        .collecting())
                .isZero();
        assertThat(measure(BEFORE, collecting(after, 7_000)).model().collecting())
                .isZero();
    }

    private static Measurement measure(JobReading before, JobReading after) {
        return Measurement.of(before, after, SECONDS, SETTING).orElseThrow();
    }

    /** Returns the second reading of a trainer whose device waited for copies for 4 of 10 s, and worked for 6 s. */
    private static JobReading afterALinkLimitedRun() {
        return new JobReading(
                "RUNNING",
                List.of(stage("read", 4_000, 400, 200, 0), stage("decode", 4_000, 1_600, 1_500, 0), BLOCKED_PACKING),
                trainer(4_000, 4_000, 4_000, 6_000)
                        .with(Figures.COPY_WAIT_NANOS, nanos(4_000.0))
                        .with(Figures.CPU_NANOS, nanos(50.0)),
                List.of(task(null, 0.0, "read", "decode", "pack")),
                MachinesReading.UNKNOWN);
    }

    /** The thread moves batches for 9 of 10 s and trains no model. The engine's wait for copies is the time of a few calls. */
    @Test
    void transferByTheTrainersThreadStaysItsWork() {
        Measurement measured = measure(new JobReading(
                "RUNNING",
                List.of(stage("read", 4_000, 400, 200, 0)),
                trainer(4_000, 100, 9_000, 0)
                        .with(Figures.COPY_WAIT_NANOS, nanos(0.2))
                        .with(Figures.CPU_NANOS, nanos(100.0)),
                List.of(task(null, 0.0, "read")),
                MachinesReading.UNKNOWN));

        Limit limit = measured.verdict().limit().orElseThrow();
        assertThat(limit.kind()).isEqualTo(Limit.Kind.LINK);
        assertThat(measured.predicted(model -> model.scaled("transfer", 0.5))
                        .orElseThrow()
                        .likely())
                .isCloseTo(800, within(1.0));
    }

    /** Packing is held up and the device idles, but the rows have arrived: neither is due to the network. */
    @Test
    void linkToAnAsynchronousDeviceIsNamedWhenTheDeviceWaitsForCopies() {
        Measurement measured = measure(afterALinkLimitedRun());

        assertThat(measured.observed().starvation()).isCloseTo(0.4, within(1e-9));
        Verdict verdict = measured.verdict();
        assertThat(verdict.limit().orElseThrow().kind()).isEqualTo(Limit.Kind.LINK);
        assertThat(verdict.limit().orElseThrow().culprit()).isEqualTo("transfer");
        assertThat(verdict.limit().orElseThrow().samplesPerSecond()).isCloseTo(400, within(1e-6));
        assertThat(verdict.next().orElseThrow().samplesPerSecond()).isCloseTo(4_000 / 6.0, within(1e-6));
    }

    /** Copies and steps take place at the same time, so a link of twice the speed hides its copies behind the steps. */
    @Test
    void fasterLinkToAnAsynchronousDeviceIsPredicted() {
        Measurement measured = measure(afterALinkLimitedRun());

        assertThat(measured.predicted(model -> model.scaled("transfer", 0.8))
                        .orElseThrow()
                        .likely())
                .isCloseTo(500, within(1e-6));
        assertThat(measured.predicted(model -> model.scaled("transfer", 0.1))
                        .orElseThrow()
                        .likely())
                .isCloseTo(4_000 / 6.0, within(1e-6));
    }

    @Test
    void evaluationsAndPausesForCheckpointsAreNoPartOfTheTimeOfWhichStarvationIsAShare() {
        TrainerReading before = trainer(0, 0, 0, 0).with(Figures.CLOCK_NANOS, nanos(1_000.0));
        TrainerReading later = trainer(4_000, 2_000, 0, 2_000)
                .with(Figures.CLOCK_NANOS, nanos(11_000.0))
                .with(Figures.EVALUATION_NANOS, nanos(5_000.0))
                .with(Figures.CHECKPOINT_COPY_NANOS, nanos(700.0))
                .with(Figures.CHECKPOINT_REFILL_NANOS, nanos(300.0));
        Measurement measured = Measurement.of(
                        new JobReading("RUNNING", List.of(), before, List.of(), MachinesReading.UNKNOWN),
                        new JobReading("RUNNING", List.of(), later, List.of(), MachinesReading.UNKNOWN),
                        SETTING)
                .orElseThrow();

        assertThat(measured.observed().starvation()).isCloseTo(0.5, within(1e-9));
        assertThat(measured.observed().samplesPerSecond()).isCloseTo(400, within(1e-9));
        assertThat(measured.model().trainer().stages())
                .filteredOn(stage -> stage.name().equals("checkpoint"))
                .singleElement()
                .satisfies(stage -> assertThat(stage.ownSecondsPerSample()).isCloseTo(1.0 / 4_000, within(1e-9)));
    }

    /** The two slots of decode and pack work for 16.8 s of 20 s. Checkpoints can cost 3.2 s of 10 s. */
    @Test
    void waitForDataThatAreAlwaysLateIsNoCostOfACheckpoint() {
        JobReading after = after(0, task(null, 0.0, "read", "decode", "pack"));
        Measurement measured = measure(new JobReading(
                after.state(),
                after.stages(),
                after.trainer().with(Figures.CHECKPOINT_REFILL_NANOS, nanos(7_900.0)),
                after.tasks(),
                after.machines()));

        assertThat(measured.model().trainer().stages())
                .filteredOn(stage -> stage.name().equals("checkpoint"))
                .singleElement()
                .satisfies(stage -> assertThat(stage.ownSeconds()).isCloseTo(3.2 / 4_000, within(1e-9)));
        assertThat(measured.verdict().limit().orElseThrow().culprit()).isEqualTo("decode");
    }
}

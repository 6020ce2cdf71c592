package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.ColumnBytes;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TaskCounters;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainedBatch;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.progress.StepLine;
import io.millrace.sink.spec.SinkSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of a client's loop before and after Flink has started its sink again. */
class DeliveredStepsTest {
    private static final BatchPlan PLAN = new BatchPlan(20, 4, false, 2, 0, 1);
    private static final long WAIT = 3_000_000;
    private static final long BUSY = 5_000_000;

    @TempDir
    Path folder;

    private DeliveredSteps open(String run, int attempt) throws IOException {
        SinkSpec spec = SinkFixture.spec(
                PLAN,
                (train, capacity, device) -> {
                    throw new AssertionError("nothing is trained here");
                },
                2,
                1,
                folder);
        return DeliveredSteps.open(spec, run, RankPlan.single(PLAN), new TrainerMetrics(), attempt);
    }

    /** Delivers and reports the steps from one to before another. The last row of each batch is quarantined. */
    private static void step(DeliveredSteps steps, long from, long to) throws IOException {
        for (long step = from; step < to; step++) {
            deliver(steps, step);
            assertThat(steps.stepped(step, WAIT, BUSY)).isTrue();
        }
    }

    private static void deliver(DeliveredSteps steps, long step) {
        BatchPlan.Batch planned = PLAN.batch(step);
        steps.sent(
                new TrainedBatch(step, planned.epoch(), planned.rows() - 1, ColumnBytes.NONE, planned.last()), planned);
    }

    @Test
    void theFiguresCoverAllAttempts() throws Exception {
        try (DeliveredSteps first = open("run", 0)) {
            first.seek(0, RankAgreement.Origin.STARTED);
            step(first, 0, 6);
        }
        try (DeliveredSteps second = open("run", 1)) {
            assertThat(second.isResumed()).isTrue();
            second.seek(6, RankAgreement.Origin.CONTINUED);
            step(second, 6, 10);
            second.done();
            TrainReport report = second.report(7);
            assertThat(report.finished()).isTrue();
            assertThat(report.counters().steps()).isEqualTo(10);
            assertThat(report.counters().samples()).isEqualTo(30);
            assertThat(report.counters().times().stepNanos()).isEqualTo(10 * BUSY);
            assertThat(report.counters().times().starvedNanos())
                    .as("the first wait of an attempt is no starvation")
                    .isEqualTo(8 * WAIT);
            assertThat(report.pace().epochMillis()).hasSize(2);
            assertThat(report.task()).isEqualTo(new TaskCounters(7, 10, 0, 1, SnapshotCost.NONE));
        }
        assertThat(Files.readAllLines(folder.resolve(StepLine.FILE))).hasSize(11);
    }

    @Test
    void stepsWhoseReportsWereLostCountOnceTheClientContinues() throws Exception {
        DeliveredSteps killed = open("run", 0);
        killed.seek(0, RankAgreement.Origin.STARTED);
        step(killed, 0, 2);
        killed.save(); // the rest is lost, as with kill -9
        Path saved = folder.resolve("serve.json");
        byte[] before = Files.readAllBytes(saved);
        step(killed, 2, 4);
        killed.close();
        Files.write(saved, before);
        Files.writeString(folder.resolve(StepLine.FILE), "4,0,3,,1.0", StandardOpenOption.APPEND);

        try (DeliveredSteps second = open("run", 1)) {
            second.seek(5, RankAgreement.Origin.CONTINUED);
            step(second, 5, 10);
            TrainReport report = second.report(0);
            assertThat(report.counters().steps()).isEqualTo(10);
            assertThat(report.counters().times().stepNanos()).isEqualTo(7 * BUSY);
            assertThat(report.pace().epochMillis()).hasSize(2);
        }
        assertThat(Files.readAllLines(folder.resolve(StepLine.FILE)))
                .as("complete lines of the steps that were reported and saved")
                .hasSize(8)
                .allMatch(line -> line.split(",", -1).length == 7);
    }

    @Test
    void batchesOfALostConnectionCountWithTheirRows() throws Exception {
        try (DeliveredSteps steps = open("run", 0)) {
            steps.seek(0, RankAgreement.Origin.STARTED);
            step(steps, 0, 2);
            deliver(steps, 2);
            deliver(steps, 3);
            steps.seek(3, RankAgreement.Origin.CONTINUED);
            assertThat(steps.report(0).counters().steps()).isEqualTo(3);
            assertThat(steps.report(0).counters().samples()).isEqualTo(9);
        }
    }

    @Test
    void stepThatTheClientLeavesOutCountsWithoutTimesAndTheFirstWaitGoesOn() throws Exception {
        try (DeliveredSteps steps = open("run", 0)) {
            steps.seek(0, RankAgreement.Origin.STARTED);
            steps.sent(new TrainedBatch(0, 0, 0, ColumnBytes.NONE, false), PLAN.batch(0));
            assertThat(steps.stepped(0, 0, 0)).isTrue();
            step(steps, 1, 3);
            TrainReport report = steps.report(4);
            assertThat(report.counters().steps()).isEqualTo(3);
            assertThat(report.counters().samples()).isEqualTo(6);
            assertThat(report.counters().times().stepNanos()).isEqualTo(2 * BUSY);
            assertThat(report.counters().times().starvedNanos()).isEqualTo(WAIT);
        }
    }

    @Test
    void stepsThatAreSkippedOrDoneAgainCountAsTheLoopDoesThem() throws Exception {
        try (DeliveredSteps first = open("run", 0)) {
            first.seek(0, RankAgreement.Origin.STARTED);
            step(first, 0, 2);
            first.seek(8, RankAgreement.Origin.SOUGHT);
        }
        try (DeliveredSteps second = open("run", 1)) {
            second.seek(8, RankAgreement.Origin.CONTINUED);
            step(second, 8, 10);
            second.seek(0, RankAgreement.Origin.SOUGHT);
            step(second, 0, 3);
            assertThat(second.report(0).counters().steps()).isEqualTo(7);
        }
    }

    @Test
    void theFiguresOfAnotherDeliveryAreNotContinued() throws Exception {
        try (DeliveredSteps first = open("run", 0)) {
            first.seek(0, RankAgreement.Origin.STARTED);
            step(first, 0, 2);
        }
        try (DeliveredSteps other = open("another", 0)) {
            other.seek(2, RankAgreement.Origin.CONTINUED);
            assertThat(other.report(0).counters().steps()).isZero();
        }
    }

    @Test
    void aRankThatNeedsNoMoreStaysDone() throws Exception {
        try (DeliveredSteps first = open("run", 0)) {
            first.seek(10, RankAgreement.Origin.STARTED);
            first.done();
        }
        try (DeliveredSteps second = open("run", 1)) {
            assertThat(second.isDone()).isTrue();
            assertThat(second.report(0).finished()).isTrue();
            second.seek(0, RankAgreement.Origin.STARTED);
            assertThat(second.isDone()).isFalse();
        }
    }
}

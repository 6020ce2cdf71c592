package io.millrace.sink.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.AsynchronousDevice;
import io.millrace.device.EngineTime;
import io.millrace.device.EngineTimeline.Lap;
import io.millrace.device.SimulatedLink;
import io.millrace.order.BatchPlan;
import io.millrace.sink.figures.TrainerTally.StepTime;
import io.millrace.train.TrainStep.StepResult;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrainerTallyTest {
    private static final BatchPlan PLAN = new BatchPlan(40, 4, false, 3, 0, 1);
    private static final StepResult RESULT = new StepResult(0.5, 7, 9);

    private static TrainedBatch batch(long step) {
        return new TrainedBatch(step, 0, 4, ColumnBytes.NONE, false);
    }

    /** The engine waited 30 ns of 50 idle ns for the copies of the second batch. */
    @Test
    void copyWaitOfAnAsynchronousDeviceIsThatOfTrainingBatchesAndSurvivesARestart() {
        try (AsynchronousDevice device = new AsynchronousDevice(SimulatedLink.NONE, Duration.ZERO);
                EngineTime time = EngineTime.of(device).orElseThrow()) {
            TrainerMetrics metrics = new TrainerMetrics();
            TrainerTally tally = new TrainerTally(metrics, Optional.of(time), PLAN);
            tally.trained(batch(0), RESULT, StepTime.of(new Lap(0, 0, 100)));
            tally.trained(batch(1), RESULT, StepTime.of(new Lap(50, 30, 100)));
            tally.evaluated(1_000, 0);
            tally.publish();
            assertThat(metrics.work.copyWaitNanos()).isEqualTo(30);
            assertThat(metrics.work.counters().times().starvedNanos()).isEqualTo(50);

            TrainerMetrics restarted = new TrainerMetrics();
            TrainerTally continued = new TrainerTally(restarted, Optional.of(time), PLAN, tally.state());
            assertThat(restarted.work.copyWaitNanos()).isEqualTo(30);
            assertThat(restarted.work.clockNanos())
                    .as("the device has not done a batch")
                    .isNaN();

            continued.trained(batch(2), RESULT, StepTime.of(new Lap(20, 5, 100)));
            continued.publish();
            assertThat(restarted.work.copyWaitNanos()).isEqualTo(35);
        }
    }

    @Test
    void refillAfterACheckpointIsPublishedAndReportedButNoStarvation() {
        TrainerMetrics metrics = new TrainerMetrics();
        TrainerTally tally = new TrainerTally(metrics, Optional.empty(), PLAN);
        tally.refilled(30);
        tally.refilled(5);
        tally.publish();

        assertThat(metrics.work.refillNanos()).isEqualTo(35);
        assertThat(metrics.work.counters().times().starvedNanos()).isZero();
        TrainReport.Attempt attempt = tally.report(true, null, 0).attempt();
        assertThat(attempt.refillNanos()).isEqualTo(35);
        assertThat(attempt.operations()).singleElement().satisfies(operation -> {
            assertThat(operation.name()).isEqualTo("refill after a checkpoint");
            assertThat(operation.count()).isEqualTo(2);
            assertThat(operation.totalNanos()).isEqualTo(35);
        });
    }

    @Test
    void hostDoesNotWaitForCopies() {
        TrainerMetrics metrics = new TrainerMetrics();
        TrainerTally tally = new TrainerTally(metrics, Optional.empty(), PLAN);
        tally.trained(batch(0), RESULT, StepTime.of(RESULT, 20, 4));
        tally.publish();

        assertThat(metrics.work.copyWaitNanos()).isZero();
        assertThat(metrics.work.counters().times().transferNanos()).isEqualTo(7);
        assertThat(metrics.work.clockNanos()).isLessThanOrEqualTo((double) System.nanoTime());
    }
}

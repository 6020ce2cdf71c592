package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.AsynchronousDevice;
import io.millrace.device.DeviceSpec;
import io.millrace.device.SimulatedLink;
import io.millrace.order.BatchPlan;
import io.millrace.sink.FakeStep;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.OperationTime;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.spec.RingSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.train.AsynchronousStep;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The figures of the operator on a simulated asynchronous device. */
class AsynchronousTrainingTest {
    private static final int BATCH = 8;
    private static final int RING = 2;
    private static final int STEPS = 12;
    private static final Duration STEP = Duration.ofMillis(40);

    @TempDir
    Path folder;

    private BufferAllocator allocator;

    @BeforeEach
    void setUp() {
        FakeStep.SEEN.clear();
        allocator = new RootAllocator();
    }

    @AfterEach
    void nothingIsLeaked() {
        allocator.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /**
     * With two batches in the ring, the rows of a batch wait for the step that is two steps before, whether the task's
     * thread does mails after each batch or only when it waits for the ring.
     */
    @ParameterizedTest
    @EnumSource
    void waitForTheDeviceToFinishABatchIsAWaitForTheRing(Mails mails) throws Exception {
        long began = System.nanoTime();
        TrainReport report = train(mails);
        long elapsed = System.nanoTime() - began;

        DeviceFigures device = Objects.requireNonNull(report.attempt().device());
        assertThat(device.slotWaitNanos()).isBetween(STEP.toNanos(), elapsed);
        assertThat(report.task().assembleNanos() + device.slotWaitNanos())
                .as("no time is counted twice, except assembly during a wait")
                .isLessThan(elapsed);
    }

    /** The result of the fake step has 10 ns. */
    @Test
    void operationInputsIsTheTimeOfTheStepsResult() throws Exception {
        TrainReport report = train(Mails.WHEN_WAITING);

        assertThat(report.attempt().operations())
                .filteredOn(operation -> operation.name().equals("inputs"))
                .singleElement()
                .extracting(OperationTime::totalNanos)
                .isEqualTo(STEPS * 10L);
        assertThat(report.counters().times().stepNanos()).isGreaterThanOrEqualTo(STEPS * STEP.toNanos());
    }

    /** Each batch takes 20 ms on the link, and the engine has nothing else to do. */
    @Test
    void copyWaitOfTheReportIsAPartOfTheStarvationAndOmitsEvaluation() throws Exception {
        SimulatedLink link = new SimulatedLink(SimulatedLink.UNLIMITED, Duration.ofMillis(20));
        TrainReport report = train(
                Mails.WHEN_WAITING,
                new BatchPlan((long) STEPS * BATCH, BATCH, false, 1, (long) STEPS * BATCH, 1),
                link,
                Duration.ZERO);

        long copyWait = Objects.requireNonNull(report.copyWaitNanos());
        assertThat(copyWait)
                .isBetween(link.latency().toNanos(), report.counters().times().starvedNanos());
        DeviceFigures device = Objects.requireNonNull(report.attempt().device());
        assertThat(device.use().engineWaitNanos() - copyWait)
                .as("wait for the copies of evaluation batches")
                .isGreaterThan(link.latency().toNanos());
    }

    private enum Mails {
        AFTER_EACH_BATCH,
        WHEN_WAITING
    }

    private TrainReport train(Mails mails) throws Exception {
        return train(mails, new BatchPlan((long) STEPS * BATCH, BATCH, false, 1, 0, 1), SimulatedLink.NONE, STEP);
    }

    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    private TrainReport train(Mails mails, BatchPlan plan, SimulatedLink link, Duration least) throws Exception {
        SinkSpec host = SinkFixture.spec(
                plan,
                (spec, capacity, device) -> AsynchronousStep.open((AsynchronousDevice) device, own -> new FakeStep(-1)),
                RING,
                1,
                folder);
        SinkSpec spec = new SinkSpec(host.run(), host.train(), new RingSpec(DeviceSpec.simulated(link, least), RING));
        try (OneInputStreamOperatorTestHarness<MicroBatch, Void> harness =
                new OneInputStreamOperatorTestHarness<>(new TrainOperatorFactory(spec), 1, 1, 0)) {
            harness.open();
            for (long position = 0; position < plan.positions(); position++) {
                harness.processElement(
                        new StreamRecord<>(SinkFixture.microBatch(allocator, plan, List.of(position), Set.of())));
                if (mails == Mails.AFTER_EACH_BATCH && (position + 1) % BATCH == 0) {
                    harness.getTaskMailbox().take(TaskMailbox.MIN_PRIORITY).run();
                }
            }
            harness.endInput();
            harness.close();
            Accumulator<?, ?> report = harness.getEnvironment()
                    .getAccumulatorRegistry()
                    .getUserMap()
                    .get(TrainReport.ACCUMULATOR);
            return TrainReports.of(Objects.requireNonNull(report).getLocalValue())
                    .orElseThrow()
                    .whole();
        }
    }
}

package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.DeviceException;
import io.millrace.device.DeviceSpec;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.StubDriver;
import io.millrace.order.BatchPlan;
import io.millrace.sink.FakeStep;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.spec.SinkSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the training operator with a GPU that the stub driver simulates. */
@ExtendWith(StubDriver.Needed.class)
@SuppressWarnings("try") // the harness declares that closing it may be interrupted
class CudaTrainOperatorTest {
    private static final BatchPlan PLAN = new BatchPlan(50, 8, false, 2, 0, 1);
    private static final int ILLEGAL_ADDRESS = 700;

    @TempDir
    Path folder;

    private StubDriver driver;
    private BufferAllocator allocator;

    @BeforeEach
    void load() {
        driver = StubDriver.fresh(2, 50);
        allocator = new RootAllocator();
        FakeStep.SEEN.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        allocator.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
        driver.assertClean("after a test");
    }

    @Test
    void rowsReachTheStepFromPageLockedMemory() throws Exception {
        try (var harness = harness(DeviceSpec.cuda(1, 8 << 20, Need.REQUIRED))) {
            harness.open();
            for (long first = 0; first < PLAN.positions(); first += 10) {
                harness.processElement(rows(first));
            }
            harness.endInput();
        }
        assertThat(FakeStep.SEEN).hasSize(14);
        for (int step = 0; step < 14; step++) {
            BatchPlan.Batch batch = PLAN.batch(step);
            assertThat(FakeStep.SEEN.get(step).indexes())
                    .containsExactlyElementsOf(LongStream.range(0, batch.rows())
                            .map(row -> SinkFixture.index(PLAN, batch.firstPosition() + row))
                            .boxed()
                            .toList());
        }
        assertThat(driver.pinnedCopies()).isPositive();
        assertThat(driver.pageableCopies()).isZero();
    }

    @Test
    void brokenDeviceThrowsAnErrorThatEndsTheProcess() throws Exception {
        try (var harness = harness(DeviceSpec.cuda(0, 8 << 20, Need.REQUIRED))) {
            harness.open();
            StreamRecord<MicroBatch> rows = rows(0);
            driver.failFrom(1, ILLEGAL_ADDRESS);
            assertThatThrownBy(() -> harness.processElement(rows))
                    .isInstanceOf(InternalError.class)
                    .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS")
                    .hasMessageContaining("The process has to end");
            driver.failAt(0, 0);
        }
    }

    @Test
    void missingDeviceIsRefusedWhenTheTaskOpens() throws Exception {
        try (var harness = harness(DeviceSpec.cuda(7, 8 << 20, Need.REQUIRED))) {
            assertThatThrownBy(harness::open)
                    .isInstanceOf(SuppressRestartsException.class)
                    .rootCause()
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("there is no device cuda:7");
        }
    }

    /** The run fails before a trainer exists that could report anything. */
    @Test
    void batchesThatDoNotFitFailARunThatNamesItsDevice() throws Exception {
        driver.limit(Long.MAX_VALUE, 64);
        try (var harness = harness(DeviceSpec.cuda(1, 8 << 20, Need.REQUIRED))) {
            assertThatThrownBy(harness::open).rootCause().hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY");
            Accumulator<?, ?> opened = Objects.requireNonNull(harness.getEnvironment()
                    .getAccumulatorRegistry()
                    .getUserMap()
                    .get(TrainingDevice.ACCUMULATOR));
            assertThat(opened.getLocalValue()).hasToString("cuda:1 (Stub GPU 1)");
            assertThat(TrainingDevice.Opened.whole(opened.getLocalValue()))
                    .extracting(DeviceFigures::kind, DeviceFigures::description)
                    .containsExactly("cuda", "cuda:1 (Stub GPU 1)");
        }
    }

    private OneInputStreamOperatorTestHarness<MicroBatch, Void> harness(DeviceSpec device) throws Exception {
        SinkSpec spec = SinkFixture.spec(PLAN, (train, capacity, where) -> new FakeStep(-1), 2, 1, folder)
                .on(device);
        return new OneInputStreamOperatorTestHarness<>(new TrainOperatorFactory(spec));
    }

    private StreamRecord<MicroBatch> rows(long first) throws Exception {
        List<Long> positions = LongStream.range(first, Math.min(first + 10, PLAN.positions()))
                .boxed()
                .toList();
        return new StreamRecord<>(SinkFixture.microBatch(allocator, PLAN, positions, Set.of()));
    }
}

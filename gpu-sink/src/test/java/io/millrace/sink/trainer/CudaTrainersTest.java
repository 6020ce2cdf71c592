package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.DeviceSpec;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.StubDriver;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.sink.FakeStep;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainerSpec;
import io.millrace.sink.spec.Trainers;
import io.millrace.train.spec.TrainSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of two trainers in one process on one GPU, which the stub driver simulates. */
@ExtendWith(StubDriver.Needed.class)
@SuppressWarnings("try") // the harness declares that closing it may be interrupted
class CudaTrainersTest {
    private static final BatchPlan PLAN = new BatchPlan(50, 8, false, 2, 0, 1);
    private static final Map<Integer, TrainReport> REPORTS = new ConcurrentHashMap<>();

    @TempDir
    Path folder;

    private StubDriver driver;
    private BufferAllocator allocator;

    @BeforeEach
    void load() {
        driver = StubDriver.fresh(1, 50);
        allocator = new RootAllocator();
        FakeStep.SEEN.clear();
        REPORTS.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        allocator.close();
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
        driver.assertClean("after a test");
    }

    private OneInputStreamOperatorTestHarness<MicroBatch, Void> trainer(int rank, DeviceSpec device) throws Exception {
        return trainer(rank, device, -1);
    }

    private OneInputStreamOperatorTestHarness<MicroBatch, Void> trainer(int rank, DeviceSpec device, long failAt)
            throws Exception {
        SinkSpec one = SinkFixture.spec(PLAN, (train, capacity, where) -> new FakeStep(failAt), 2, 1, folder);
        TrainSpec train = one.train().spec();
        Trainers two = new Trainers(RankRows.single(PLAN), List.of(train, train));
        SinkSpec spec = one.with(TrainerSpec.of(one.train().opener(), two))
                .reportingTo((reported, report, failure) -> REPORTS.put(reported, report))
                .on(device);
        return new OneInputStreamOperatorTestHarness<>(new TrainOperatorFactory(spec), 2, 2, rank);
    }

    private StreamRecord<MicroBatch> rows(long first) throws Exception {
        List<Long> positions = LongStream.range(first, Math.min(first + 10, PLAN.positions()))
                .boxed()
                .toList();
        return new StreamRecord<>(SinkFixture.microBatch(allocator, PLAN, positions, Set.of()));
    }

    /** The other trainer keeps its memory and its context, whichever trainer ends first. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void bothTrainToTheEndWhicheverEndsFirst(int first) throws Exception {
        DeviceSpec device = DeviceSpec.cuda(0, 8 << 20, Need.REQUIRED);
        try (var one = trainer(first, device);
                var other = trainer(1 - first, device)) {
            one.open();
            other.open();
            assertThat(driver.alive(StubDriver.Kind.CONTEXT)).isEqualTo(4); // each trainer's, and its slab's
            for (long from = 0; from < PLAN.positions(); from += 10) {
                one.processElement(rows(from));
                other.processElement(rows(from));
            }
            one.endInput();
            one.close();
            other.endInput();
        }
        assertThat(FakeStep.SEEN).hasSize(28);
        assertThat(driver.pageableCopies()).isZero();
        assertThat(REPORTS).containsOnlyKeys(0, 1).allSatisfy((rank, report) -> {
            assertThat(report.finished()).isTrue();
            DeviceFigures figures = Objects.requireNonNull(report.attempt().device());
            assertThat(figures.description()).isEqualTo("cuda:0 (Stub GPU 0)");
            assertThat(figures.pageableBuffers()).isZero();
            assertThat(figures.use().engineNanos()).isPositive();
            assertThat(figures.transferGigabytesPerSecond()).isPositive();
            assertThat(figures.copyOverlap()).isBetween(0.0, 1.0);
        });
    }

    @Test
    void secondTrainerWithoutMemoryIsRefusedAndTheFirstContinues() throws Exception {
        DeviceSpec device = DeviceSpec.cuda(0, 8 << 20, Need.REQUIRED);
        try (var one = trainer(0, device)) {
            one.open();
            driver.limit(Long.MAX_VALUE, 1); // no memory is left
            try (var other = trainer(1, device)) {
                assertThatThrownBy(other::open)
                        .hasStackTraceContaining("2 batches of 8 rows")
                        .hasStackTraceContaining("do not fit into the memory of cuda:0 (Stub GPU 0)");
            }
            for (long from = 0; from < PLAN.positions(); from += 10) {
                one.processElement(rows(from));
            }
            one.endInput();
        }
        assertThat(FakeStep.SEEN).hasSize(14);
    }

    /** Each trainer has a slab with its own limit. Micro-batches of the process arrive in any slab that has room. */
    @Test
    void rowsBeyondBothLimitsArePageableIfPinnedMemoryIsPreferred() throws Exception {
        DeviceSpec device = DeviceSpec.cuda(0, 4096, Need.PREFERRED);
        try (var one = trainer(0, device);
                var other = trainer(1, device)) {
            one.open();
            other.open();
            for (long from = 0; from < PLAN.positions(); from += 10) {
                one.processElement(rows(from));
                other.processElement(rows(from));
            }
            one.endInput();
            other.endInput();
        }
        assertThat(FakeStep.SEEN).hasSize(28);
        assertThat(REPORTS.values()).allSatisfy(report -> {
            DeviceFigures figures = Objects.requireNonNull(report.attempt().device());
            assertThat(figures.pageableBuffers()).isPositive();
        });
    }

    @Test
    void aTrainerThatFailsReportsItsDeviceEvenWhenThatIsBroken() throws Exception {
        var one = trainer(0, DeviceSpec.cuda(0, 8 << 20, Need.REQUIRED), 1);
        one.open();
        assertThatThrownBy(() -> {
                    for (long from = 0; from < PLAN.positions(); from += 10) {
                        one.processElement(rows(from));
                    }
                    one.endInput();
                })
                .hasStackTraceContaining("has label 11, but the model has 10 classes");
        driver.failFrom(1, 700);
        assertThatThrownBy(one::close).hasStackTraceContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
        driver.failAt(0, 0);

        TrainReport report = Objects.requireNonNull(REPORTS.get(0));
        assertThat(report.finished()).isFalse();
        DeviceFigures figures = Objects.requireNonNull(report.attempt().device());
        assertThat(figures.kind()).isEqualTo("cuda");
        assertThat(figures.description()).isEqualTo("cuda:0 (Stub GPU 0)");
    }
}

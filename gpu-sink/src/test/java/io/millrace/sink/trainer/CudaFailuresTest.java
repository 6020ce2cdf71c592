package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.PinnedSlab;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.StubDriver;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sink.rows.BatchRing;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests in which each call of the driver fails once while a ring trains for a short time. */
@ExtendWith(StubDriver.Needed.class)
class CudaFailuresTest {
    private static final BatchPlan PLAN = new BatchPlan(40, 8, false, 1, 0, 1);
    private static final int OUT_OF_MEMORY = 2;
    private static final int ILLEGAL_ADDRESS = 700;

    @ParameterizedTest
    @CsvSource({"999, CUDA_ERROR_UNKNOWN", "2, CUDA_ERROR_OUT_OF_MEMORY"})
    void whicheverCallFailsNothingIsLeftAndTheErrorNamesIt(int code, String name) {
        int calls = callsWithoutFailure();
        int failures = 0;
        for (int call = 1; call <= calls; call++) {
            StubDriver driver = StubDriver.fresh(1, 50);
            driver.failAt(call, code);
            Throwable thrown = trainShortly();
            boolean failed = driver.hasFailed();
            driver.failAt(0, 0);
            driver.assertClean("when call " + call + " fails");
            assertThat(MicroBatchMemory.allocatedBytes()).isZero();
            if (failed && thrown == null && code == OUT_OF_MEMORY) {
                // Page-locked memory for the rows of a checkpoint or for gathered rows: the call, and the one that
                // enters the context.
                assertThat(driver.failedCall()).as("call %d", call).isIn("cuMemHostAlloc", "cuCtxSetCurrent");
            } else if (failed) {
                failures++;
                assertThat(thrown)
                        .as("failure of call %d", call)
                        .isInstanceOfAny(DeviceException.class, TrainSpecException.class)
                        .hasMessageMatching("(?s).*cu[A-Z]\\w+ .*")
                        .hasMessageContaining(name);
            } else {
                assertThat(thrown).isNull();
            }
        }
        // The number of queries for finished copies depends on the speed of the copies, so the last calls may not
        // occur.
        assertThat(failures).isGreaterThan(calls - calls / 10);
    }

    private static int callsWithoutFailure() {
        StubDriver driver = StubDriver.fresh(1, 50);
        assertThat(trainShortly()).isNull();
        return (int) driver.calls();
    }

    @Test
    void stickyErrorAtAnyCallLeavesNothingOpen() {
        boolean failed = true;
        for (int call = 1; failed; call += 3) {
            StubDriver driver = StubDriver.fresh(1, 50);
            driver.failFrom(call, ILLEGAL_ADDRESS);
            Throwable thrown = trainShortly();
            failed = driver.hasFailed();
            driver.failAt(0, 0);
            driver.assertClean("when all calls from " + call + " on fail");
            assertThat(MicroBatchMemory.allocatedBytes()).isZero();
            if (failed) {
                assertThat(thrown)
                        .isInstanceOf(DeviceBrokenException.class)
                        .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS")
                        .hasMessageContaining("The process has to end");
            }
        }
    }

    @Test
    void ringThatDoesNotFitIsRefusedWithItsSize() {
        StubDriver driver = StubDriver.fresh();
        driver.limit(Long.MAX_VALUE, 12_000);
        BatchPlan plan = new BatchPlan(1000, 100, false, 1, 0, 1);
        try (CudaDevice device = CudaDevice.open(0)) {
            assertThatThrownBy(() -> new BatchRing(device, RankPlan.single(plan), TransferRows.SPEC, 4, 0).close())
                    .isInstanceOf(TrainSpecException.class)
                    .hasMessageContaining("4 batches of 100 rows, 2700 bytes each and 10800 in all")
                    .hasMessageContaining("cuda:0 (Stub GPU 0)")
                    .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY")
                    .hasMessageContaining("of its 12000 bytes are free")
                    .hasMessageContaining("Set a smaller batch.size or device.batches_in_flight");
        }
        driver.assertClean("after a ring that did not fit");
    }

    /** Runs a short training, checkpoint included; returns the exception that ended it, or null. */
    private static @Nullable Throwable trainShortly() {
        try (BufferAllocator allocator = new RootAllocator();
                TransferRows rows = new TransferRows(allocator, PLAN);
                PinnedSlab slab = new PinnedSlab(CudaDevice.open(0), 1 << 20, Need.REQUIRED)) {
            MicroBatchMemory.addSource(slab);
            try (CudaDevice device = CudaDevice.open(0);
                    BatchRing ring = new BatchRing(device, RankPlan.single(PLAN), TransferRows.SPEC, 2, 0)) {
                train(ring, rows);
            } finally {
                MicroBatchMemory.removeSource(slab);
            }
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    private static void train(BatchRing ring, TransferRows rows) throws Exception {
        Random random = new Random(4);
        List<DeviceBatch> taken = new ArrayList<>();
        for (int first : new int[] {30, 10, 0, 20}) {
            ring.accept(rows.microBatch(first, 10, random));
            ring.waiting();
            for (DeviceBatch whole = ring.takeComplete(); whole != null; whole = ring.takeComplete()) {
                taken.add(whole);
            }
            for (DeviceBatch whole : taken) {
                whole.seal();
                whole.beginUse();
                whole.endUse();
                ring.trained();
            }
            taken.clear();
        }
    }
}

package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.AlignedMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceEvent;
import io.millrace.device.StubDriver;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankPlan;
import io.millrace.sample.Split;
import io.millrace.sink.rows.BatchRing;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of the order of copies and steps on the device. The test controls the duration of a step. */
@ExtendWith(StubDriver.Needed.class)
class CudaOverlapTest {
    private static final int ROWS = 4;

    @Test
    void nextBatchIsCopiedDuringAStepAndTheSameBatchOnlyAfterIt() {
        StubDriver driver = StubDriver.fresh();
        int bytes = ROWS * TransferRows.PIXELS;
        try (CudaDevice device = CudaDevice.open(0);
                DeviceBatch first = device.allocate(TransferRows.SPEC, ROWS);
                DeviceBatch second = device.allocate(TransferRows.SPEC, ROWS);
                AlignedMemory ones = device.pageLocked(bytes, "pixels");
                AlignedMemory twos = device.pageLocked(bytes, "pixels");
                AlignedMemory engine = device.pageLocked(bytes, "what the engine saw");
                DeviceEvent stepped = device.event();
                DeviceEvent refilled = device.event()) {
            fill(first, 0, ones, 1);
            driver.holdEngine();
            try {
                use(device, first, engine, stepped);

                fill(second, 1, twos, 2);
                device.copies().synchronize();
                assertThat(stepped.isDone()).as("the step on the first batch").isFalse();

                fill(first, 2, twos, 2);
                device.copies().record(refilled);
                assertThat(refilled.isDone()).as("copies into a batch in use").isFalse();
            } finally {
                driver.releaseEngine(); // otherwise closing would wait forever
            }
            refilled.synchronize();
            assertThat(stepped.isDone()).isTrue();
            byte[] seen = new byte[bytes];
            engine.buffer().get(seen);
            assertThat(seen).containsOnly(1);
        }
        driver.assertClean("after the test");
    }

    /** Rows of batch 2 arrive before the last rows of batch 1. */
    @Test
    void rowsForARingEntryInUseDoNotHoldUpRowsOfTheBatchBefore() throws Exception {
        StubDriver driver = StubDriver.fresh();
        BatchPlan plan = new BatchPlan(3 * ROWS, ROWS, false, 1, 0, 1);
        Random noneIsBad = new Random(1);
        try (BufferAllocator allocator = new RootAllocator();
                TransferRows rows = new TransferRows(allocator, plan);
                CudaDevice device = CudaDevice.open(0);
                AlignedMemory engine = device.pageLocked(ROWS * TransferRows.PIXELS, "what the engine saw");
                DeviceEvent stepped = device.event();
                DeviceEvent copied = device.event();
                BatchRing ring = new BatchRing(device, RankPlan.single(plan), TransferRows.SPEC, 2, 0)) {
            driver.holdEngine();
            try {
                ring.accept(rows.microBatch(0, ROWS, noneIsBad));
                DeviceBatch first = whole(ring);
                use(device, first, engine, stepped);
                ring.trained(); // its step was enqueued

                ring.accept(rows.microBatch(2 * ROWS, 2, noneIsBad));
                assertThat(ring.parkedRows()).isEqualTo(2);
                ring.accept(rows.microBatch(ROWS, ROWS, noneIsBad));
                DeviceBatch second = whole(ring);
                device.copies().record(copied);
                copied.synchronize();
                assertThat(stepped.isDone()).as("the step on the first batch").isFalse();
                assertThat(second.number()).isEqualTo(1);
            } finally {
                driver.releaseEngine(); // otherwise closing would wait forever
            }
            assertThat(ring.takeComplete()).isNull();
            assertThat(ring.parkedRows())
                    .as("no other batch is to be filled before")
                    .isZero();
            ring.accept(rows.microBatch(2 * ROWS + 2, ROWS - 2, noneIsBad));
            assertThat(whole(ring).number()).isEqualTo(2);
            assertThat(rows.bad()).isZero();
        }
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
        driver.assertClean("after the test");
    }

    private static DeviceBatch whole(BatchRing ring) {
        DeviceBatch whole = Objects.requireNonNull(ring.takeComplete());
        whole.seal();
        return whole;
    }

    private static void use(CudaDevice device, DeviceBatch batch, AlignedMemory seen, DeviceEvent done) {
        batch.beginUse();
        device.engine().copyOut(batch.memory(0), 0, seen.address(), seen.bytes());
        device.engine().record(done);
        batch.endUse();
    }

    private static void fill(DeviceBatch batch, long number, AlignedMemory pixels, int value) {
        byte[] bytes = new byte[pixels.bytes()];
        Arrays.fill(bytes, (byte) value);
        pixels.buffer().put(0, bytes);
        batch.begin(number, number, 0, Split.TRAIN, ROWS);
        for (int row = 0; row < ROWS; row++) {
            batch.filling().put(0, row, pixels.address() + (long) row * TransferRows.PIXELS);
            batch.filling().place(row, row, row, value);
        }
        batch.seal();
    }
}

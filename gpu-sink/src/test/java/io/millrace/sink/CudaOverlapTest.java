package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.AlignedMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceEvent;
import io.millrace.device.StubDriver;
import io.millrace.sample.Split;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What waits for what on the device, with a step that takes as long as the test wants. */
@ExtendWith(StubDriver.Needed.class)
class CudaOverlapTest {
    private static final int ROWS = 4;

    @Test
    void theNextBatchIsCopiedWhileAStepComputesAndTheSameOneOnlyAfterIt() {
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
                driver.releaseEngine(); // else closing would wait for ever
            }
            refilled.synchronize();
            assertThat(stepped.isDone()).isTrue();
            byte[] seen = new byte[bytes];
            engine.buffer().get(seen);
            assertThat(seen).containsOnly(1);
        }
        driver.assertClean("after the test");
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
            batch.put(0, row, pixels.address() + (long) row * TransferRows.PIXELS);
            batch.place(row, row, row, value);
        }
        batch.seal();
    }
}

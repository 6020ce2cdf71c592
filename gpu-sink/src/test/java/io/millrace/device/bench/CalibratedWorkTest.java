package io.millrace.device.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceMemory;
import io.millrace.device.DeviceMemoryException;
import io.millrace.device.StubDriver;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(StubDriver.Needed.class)
class CalibratedWorkTest {
    private static final Duration STEP = Duration.ofMillis(20);
    private static final long MEBIBYTE = 1 << 20;

    @Test
    void workUsesTheFreeMemoryOfTheDevice() {
        StubDriver driver = StubDriver.fresh();
        driver.limit(Long.MAX_VALUE, 8 * MEBIBYTE);
        try (CudaDevice device = CudaDevice.open(0);
                CalibratedWork work = new CalibratedWork(device, STEP, 6 * MEBIBYTE);
                DeviceMemory batches = device.memory(6 * MEBIBYTE, "batches")) {
            assertThat(work.nanos()).isPositive();
            work.enqueue();
            device.engine().synchronize();
            assertThat(batches.bytes()).isEqualTo(6 * MEBIBYTE);
        }
        driver.assertClean("after the test");
    }

    @Test
    void piecesAreSmallerIfTheDeviceHasLessMemory() {
        StubDriver driver = StubDriver.fresh();
        driver.limit(Long.MAX_VALUE, 3 * MEBIBYTE);
        try (CudaDevice device = CudaDevice.open(0)) {
            try (WorkPieces pieces = WorkPieces.allocate(device, (int) (8 * MEBIBYTE))) {
                assertThat(pieces.bytes()).isEqualTo(MEBIBYTE);
            }
            try (DeviceMemory all = device.memory(3 * MEBIBYTE, "all")) {
                assertThat(all.bytes()).isPositive();
                assertThatThrownBy(() -> WorkPieces.allocate(device, (int) MEBIBYTE))
                        .isInstanceOf(DeviceMemoryException.class)
                        .hasMessageContaining("a step's work");
            }
        }
        driver.assertClean("after the test");
    }
}

package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The error messages for a machine with a driver but without a usable device. */
@ExtendWith(StubDriver.Needed.class)
class CudaDriverErrorsTest {
    private StubDriver driver;

    @BeforeEach
    void load() {
        driver = StubDriver.fresh();
    }

    @AfterEach
    void nothingIsLeft() {
        driver.assertClean("after a refused device");
    }

    @Test
    void driverWithoutADeviceNamesWhatToCheck() {
        driver.resetTo(0, 12080);
        assertThatThrownBy(() -> CudaDevice.open(0))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("cuInit to find GPUs failed with CUDA_ERROR_NO_DEVICE (100)")
                .hasMessageContaining("CUDA_VISIBLE_DEVICES");
    }

    @Test
    void oldDriverIsRefusedWithItsVersionAndTheExpectedOne() {
        driver.resetTo(1, 11080);
        assertThatThrownBy(() -> CudaDevice.open(0))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("it is for CUDA 11.8, expected one for CUDA 12.0 or newer");
    }

    @Test
    void wrongNumberIsRefusedWithTheExistingOnes() {
        driver.resetTo(2, 13000);
        assertThat(CudaDevice.count()).isEqualTo(2);
        assertThatThrownBy(() -> CudaDevice.open(2))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("there is no device cuda:2: expected 0 to 1, the machine has 2 GPUs");
        assertThatThrownBy(() -> CudaDevice.open(-1)).hasMessageContaining("there is no device cuda:-1");
    }

    @Test
    void missingMemoryIsReportedWithTheRequestedAndTheFreeBytes() {
        driver.limit(1 << 20, 1000);
        try (CudaDevice device = CudaDevice.open(0);
                DeviceMemory some = device.memory(600, "something")) {
            assertThat(some.bytes()).isEqualTo(600);
            assertThatThrownBy(() -> device.memory(500, "column 'image'"))
                    .isInstanceOf(DeviceMemoryException.class)
                    .hasMessageContaining("cuMemAlloc for 500 bytes of column 'image' on cuda:0 failed with"
                            + " CUDA_ERROR_OUT_OF_MEMORY (2): 400 of its 1000 bytes are free");
            assertThatThrownBy(() -> device.pageLocked((1 << 20) + 1, "micro-batches"))
                    .isInstanceOf(DeviceMemoryException.class)
                    .hasMessageContaining("cuMemHostAlloc for 1048577 bytes of micro-batches");
        }
    }

    @Test
    void brokenDeviceReportsThatTheProcessMustEnd() {
        try (CudaDevice device = CudaDevice.open(0);
                DeviceEvent event = device.event()) {
            driver.failAt(2, 719); // the first call enters the context
            assertThatThrownBy(event::isDone)
                    .isInstanceOf(DeviceBrokenException.class)
                    .hasMessageContaining("cuEventQuery on cuda:0 failed with CUDA_ERROR_LAUNCH_FAILED (719)")
                    .hasMessageContaining("continues from its last checkpoint in a new process");
        }
    }
}

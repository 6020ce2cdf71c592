package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.engine.Engine;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The GPU's device with the engine's memory; the engine computes on the CPU, and the driver has no GPU. */
class RehearsedDeviceTest extends DeviceContract {
    private StubDriver driver;

    @Override
    @BeforeEach
    void openDevice() {
        driver = StubDriver.fresh(2, 300);
        Engine.getEngine("PyTorch");
        super.openDevice();
    }

    @Override
    Device open() {
        return StubDriver.rehearse(0);
    }

    @Override
    void assertNothingLeft() {
        driver.assertClean("after a test");
    }

    @Test
    void memoryThatTheEngineLacksIsReportedWithItsSize() {
        driver.limit(Long.MAX_VALUE, 1000);
        try (CudaDevice device = StubDriver.rehearse(1)) {
            assertThatThrownBy(() -> device.memory(1001, "pictures"))
                    .isInstanceOf(DeviceMemoryException.class)
                    .hasMessageContaining("1001 bytes of pictures on cuda:1 (Stub GPU 1)")
                    .hasMessageContaining("CUDA out of memory");
        }
    }

    @Test
    void engineCannotViewTheDriversMemory() {
        try (CudaDevice device = CudaDevice.open(0);
                DeviceMemory memory = device.memory(64, "memory");
                var manager = (ai.djl.pytorch.engine.PtNDManager)
                        Engine.getEngine("PyTorch").newBaseManager(ai.djl.Device.cpu())) {
            assertThatThrownBy(() -> EngineTensors.bytes(memory, 0, 64, manager))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the engine did not allocate this memory");
            assertThatThrownBy(() -> EngineTensors.engineDevice(device))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the driver's");
        }
    }
}

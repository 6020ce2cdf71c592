package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.CudaDevice.MemoryUse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract for devices on a GPU. */
@Tag("gpu")
@ExtendWith(RealGpu.class)
class GpuDeviceTest extends DeviceContract {
    @Override
    Device open() {
        return CudaDevice.open(0);
    }

    /**
     * Does nothing: other processes may use the GPU, so nothing can be counted here. The tests with the stub find
     * leaks.
     */
    @Override
    void assertNothingLeft() {}

    @Test
    void allocatedMemoryIsCountedAsUsed() {
        long bytes = 256L << 20;
        try (CudaDevice device = CudaDevice.open(0)) {
            MemoryUse before = device.memoryUse();
            assertThat(before.totalBytes()).isEqualTo(device.facts().memoryBytes());
            try (DeviceMemory memory = device.memory(bytes, "memory")) {
                assertThat(memory.bytes()).isEqualTo(bytes);
                assertThat(device.memoryUse().usedBytes()).isGreaterThan(before.usedBytes());
            }
        }
    }

    @Test
    void driverAndManagementLibraryListTheSameGpus() {
        FoundDevices found = FoundDevices.find();
        assertThat(found.missing()).isNull();
        assertThat(found.cudaVersion()).matches("[0-9]+\\.[0-9]+");
        assertThat(found.gpus()).isNotEmpty().allSatisfy(gpu -> assertThat(gpu.uuid())
                .startsWith("GPU-"));
        assertThat(found.gpus().stream().map(FoundDevices.FoundGpu::uuid).distinct())
                .hasSameSizeAs(found.gpus());
        if (found.nvmlMissing() == null) {
            try (Nvml nvml = Nvml.open()) {
                Nvml.Reading reading = nvml.read(found.gpus().get(0).uuid());
                assertThat(reading.utilization()).isNotNull();
                assertThat(reading.utilization()).isBetween(0.0, 1.0);
            }
        }
    }
}

package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceWatch.Seen;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DeviceWatchTest {
    private static final long TOTAL = 1 << 20;

    private static Path nvml = Path.of("");

    @BeforeAll
    static void needsTheStubs() {
        StubDriver.fresh();
        nvml = StubDriver.built("nvml_stub.c", "libmillrace-nvml-watched.so");
    }

    /** Waits for the first reading, which the watch makes at once on its own thread. */
    private static Seen firstReading(DeviceWatch watch) throws InterruptedException {
        Seen seen = watch.seen();
        while (seen.equals(Seen.NOTHING)) {
            Thread.onSpinWait();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            seen = watch.seen();
        }
        return seen;
    }

    @Test
    @Timeout(60)
    void memoryAndLoadAreRead() throws InterruptedException {
        StubDriver driver = StubDriver.fresh();
        driver.limit(Long.MAX_VALUE, TOTAL);
        try (CudaDevice device = CudaDevice.open(0);
                DeviceMemory memory = device.memory(1000, "memory");
                DeviceWatch watch = DeviceWatch.of(device, () -> Optional.of(Nvml.open(nvml.toString())))) {
            Seen seen = firstReading(watch);
            assertThat(seen.memoryUsedBytes()).isEqualTo(memory.bytes());
            assertThat(seen.mostMemoryUsedBytes()).isEqualTo(memory.bytes());
            assertThat(seen.memoryTotalBytes()).isEqualTo(TOTAL);
            assertThat(seen.utilization()).isEqualTo(0.87);
            assertThat(seen.watts()).isEqualTo(412.5);
        }
        driver.assertClean("after the watch");
    }

    /** Loading data and the model may take minutes, in which the GPU has nothing to do yet. */
    @Test
    @Timeout(60)
    void meansBeginWithTheFirstStep() throws InterruptedException {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                DeviceWatch watch = DeviceWatch.of(device, () -> Optional.of(Nvml.open(nvml.toString())))) {
            Seen before = firstReading(watch);
            assertThat(before.utilization()).isEqualTo(0.87);
            assertThat(before.meanUtilization()).isNull();
            assertThat(before.meanWatts()).isNull();
        }
        try (CudaDevice device = CudaDevice.open(0)) {
            device.use().stepEnqueued();
            device.use().stepBegan();
            device.use().stepEnded();
            try (DeviceWatch watch = DeviceWatch.of(device, () -> Optional.of(Nvml.open(nvml.toString())))) {
                Seen after = firstReading(watch);
                assertThat(after.meanUtilization()).isEqualTo(0.87);
                assertThat(after.meanWatts()).isEqualTo(412.5);
            }
        }
        driver.assertClean("after the watch");
    }

    @Test
    @Timeout(60)
    void withoutNvmlOnlyMemoryIsKnown() throws InterruptedException {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0);
                DeviceWatch watch = DeviceWatch.of(device, Optional::empty)) {
            Seen seen = firstReading(watch);
            assertThat(seen.memoryUsedBytes()).isZero();
            assertThat(seen.utilization()).isNull();
            assertThat(seen.meanWatts()).isNull();
        }
        driver.assertClean("after the watch");
    }

    @Test
    void hostHasNothingToRead() {
        try (HostDevice device = new HostDevice();
                DeviceWatch watch = DeviceWatch.of(device)) {
            assertThat(watch.seen()).isEqualTo(Seen.NOTHING);
        }
    }

    /** A reading that fails does not fail the run: the trainer reports a broken device. */
    @Test
    void watchOfAFailingDeviceCanBeClosed() {
        StubDriver driver = StubDriver.fresh();
        CudaDevice device = CudaDevice.open(0);
        DeviceWatch watch = DeviceWatch.of(device, Optional::empty);
        driver.failFrom(1, 700);
        watch.close();
        driver.failAt(0, 0);
        device.close();
        driver.assertClean("after a device that failed");
    }
}

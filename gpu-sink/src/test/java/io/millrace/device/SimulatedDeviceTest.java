package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The host over a simulated link: work is done late, on separate threads. */
class SimulatedDeviceTest extends DeviceContract {
    private static final SimulatedLink LINK = new SimulatedLink(100_000_000, Duration.ofNanos(50_000));

    @Override
    Device open() {
        return new HostDevice(LINK);
    }

    @Override
    void assertNothingLeft() {
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("millrace-simulated-stream");
    }

    @Test
    void copyTakesAsLongAsOverTheLink() {
        SimulatedLink slow = new SimulatedLink(1_000_000, Duration.ofMillis(5));
        try (Device device = new HostDevice(slow);
                AlignedMemory source = device.pageLocked(20_000, "a source");
                DeviceMemory memory = device.memory(20_000, "memory")) {
            long began = System.nanoTime();
            device.copies().copyIn(source.address(), memory, 0, 20_000);
            device.copies().synchronize();
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(25_000_000);
        }
    }
}

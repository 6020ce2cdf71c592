package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.HostDevice;
import io.millrace.trace.Recording;
import io.millrace.trace.Trace;
import io.millrace.trace.TraceFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceTraceTest {
    @TempDir
    Path folder;

    /** The recording contains only a part of each second, so the work must last for some seconds. */
    @Test
    @SuppressWarnings("try") // the resource records until it is closed, and the test reads the recording afterwards
    void copiesAndStepsOfADeviceAreLinesOfTheirOwn() throws Exception {
        try (HostDevice device = new HostDevice();
                Trace.Share joined = Trace.join(Recording.begin(folder, 1), "here")) {
            DeviceTrace trace = DeviceTrace.of(device).orElseThrow();
            long now = System.nanoTime();
            for (int i = 0; i < 60; i++) {
                long began = now + TimeUnit.MILLISECONDS.toNanos(50L * i);
                trace.copied(began, began + 1_000_000);
                trace.stepped(began + 2_000_000, began + 9_000_000);
            }
        }
        String whole = Files.readString(TraceFolder.merge(folder).orElseThrow().file());
        assertThat(whole)
                .contains("the host's memory: copies")
                .contains("the host's memory: engine")
                .contains("\"copy\"")
                .contains("\"step\"");
    }

    @Test
    void withoutARecordingThereIsNoTrace() {
        try (HostDevice device = new HostDevice()) {
            assertThat(DeviceTrace.of(device)).isEmpty();
        }
    }
}

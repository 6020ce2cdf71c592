package io.millrace.device.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceEvent;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import io.millrace.lifecycle.Handles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaunchLimiterTest {
    private static final Duration LATE = Duration.ofNanos(200_000);

    /**
     * Each piece takes some time. Without the limit, the thread would enqueue all pieces in less than the time of one
     * piece.
     */
    @Test
    void pendingWorkNeverExceedsTheLimit() {
        int pieces = 2 * LaunchLimiter.MOST;
        try (HostDevice device = new HostDevice(new SimulatedLink(SimulatedLink.UNLIMITED, LATE));
                Handles handles = new Handles()) {
            LaunchLimiter ahead = handles.add(new LaunchLimiter(device, device.copies()));
            var source = handles.add(device.pageLocked(1, "a source"));
            var target = handles.add(device.memory(1, "a target"));
            handles.add(() -> device.copies().synchronize());
            List<DeviceEvent> done = new ArrayList<>();
            for (int i = 0; i < pieces; i++) {
                device.copies().copyIn(source.address(), target, 0, 1);
                done.add(device.event());
                device.copies().record(done.get(i));
                ahead.enqueued();
                if (i >= LaunchLimiter.MOST) {
                    assertThat(done.get(i - LaunchLimiter.MOST).isDone()).isTrue();
                }
            }
        }
    }
}

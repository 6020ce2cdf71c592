package io.millrace.sink.trainer;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;
import io.millrace.device.SimulatedLink;
import java.time.Duration;

/** The transfer over a simulated link, whose copies are late. */
class LateHostTransferTest extends TransferContract {
    @Override
    Device open() {
        return new HostDevice(new SimulatedLink(1_000_000_000, Duration.ofNanos(1_000)));
    }

    @Override
    void check(long microBatches) {}
}

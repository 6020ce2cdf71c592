package io.millrace.sink.trainer;

import io.millrace.device.AsynchronousDevice;
import io.millrace.device.Device;
import io.millrace.device.SimulatedLink;
import java.time.Duration;

/** The transfer to a device whose copies and engine are both late. */
class AsynchronousTransferTest extends TransferContract {
    @Override
    Device open() {
        return new AsynchronousDevice(new SimulatedLink(1_000_000_000, Duration.ofNanos(1_000)), Duration.ZERO);
    }

    @Override
    void check(long microBatches) {}
}

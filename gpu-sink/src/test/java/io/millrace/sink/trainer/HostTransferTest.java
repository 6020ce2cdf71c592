package io.millrace.sink.trainer;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

class HostTransferTest extends TransferContract {
    @Override
    Device open() {
        return new HostDevice();
    }

    @Override
    void check(long microBatches) {}
}

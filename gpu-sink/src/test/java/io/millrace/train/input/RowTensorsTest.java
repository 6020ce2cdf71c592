package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

/** Rows of tensors that the engine changes on the CPU. */
class RowTensorsTest extends RowTensorsContract {
    @Override
    Device device() {
        return new HostDevice();
    }
}

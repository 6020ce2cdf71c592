package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

/** Tests of operations on rows of tensors by the engine on the CPU. */
class RowTensorsTest extends RowTensorsContract {
    @Override
    Device device() {
        return new HostDevice();
    }
}

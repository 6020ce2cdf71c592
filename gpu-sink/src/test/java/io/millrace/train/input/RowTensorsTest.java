package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

/** Rows of tensors changed by the engine on the processor. */
class RowTensorsTest extends RowTensorsContract {
    @Override
    Device device() {
        return new HostDevice();
    }
}

package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

/** Pictures changed by the engine on the processor. */
class PictureTransformsTest extends PictureTransformsContract {
    @Override
    Device open() {
        return new HostDevice();
    }
}

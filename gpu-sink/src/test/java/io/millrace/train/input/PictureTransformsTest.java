package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

/** Tests of changes of pictures by the engine on the CPU. */
class PictureTransformsTest extends PictureTransformsContract {
    @Override
    Device open() {
        return new HostDevice();
    }
}

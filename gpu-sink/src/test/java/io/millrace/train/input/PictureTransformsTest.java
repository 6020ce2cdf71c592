package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.HostDevice;

/** Pictures that the engine changes on the CPU. */
class PictureTransformsTest extends PictureTransformsContract {
    @Override
    Device open() {
        return new HostDevice();
    }
}

package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of changes of pictures on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuPictureTransformsTest extends PictureTransformsContract {
    @Override
    Device open() {
        return new GpuEngine().open();
    }
}

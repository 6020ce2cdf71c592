package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of operations on rows of tensors on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuRowTensorsTest extends RowTensorsContract {
    @Override
    Device device() {
        return new GpuEngine().open();
    }
}

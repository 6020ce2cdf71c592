package io.millrace.train.input;

import io.millrace.device.Device;
import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows of tensors that a GPU changes. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuRowTensorsTest extends RowTensorsContract {
    @Override
    Device device() {
        return new GpuEngine().open();
    }
}

package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Wire types on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuWireTest extends WireContract {
    GpuWireTest() {
        super(new GpuEngine());
    }
}

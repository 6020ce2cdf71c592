package io.millrace.device;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tensors and their memory on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuEngineTensorsTest extends EngineTensorsContract {
    GpuEngineTensorsTest() {
        super(new GpuEngine());
    }
}

package io.millrace.sink;

import io.millrace.device.CudaDevice;
import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same to memory of the training engine. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuEngineTransferTest extends GpuTransferTest {
    @Override
    CudaDevice device() {
        return new GpuEngine().open();
    }
}

package io.millrace.sink.trainer;

import io.millrace.device.CudaDevice;
import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The transfer to a GPU's memory that the training engine allocated. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuEngineTransferTest extends GpuTransferTest {
    @Override
    CudaDevice device() {
        return new GpuEngine().open();
    }
}

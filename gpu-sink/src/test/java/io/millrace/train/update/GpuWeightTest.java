package io.millrace.train.update;

import io.millrace.device.Device;
import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The weights of batches, counted by the engine on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuWeightTest extends WeightTest {
    @Override
    Device device() {
        return new GpuEngine().open();
    }
}

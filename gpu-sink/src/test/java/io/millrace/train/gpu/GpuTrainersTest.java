package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Several trainers on a GPU. No other process may use the GPU meanwhile, because its memory is counted for all processes.
 */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuTrainersTest extends TrainersContract {
    /** The size of one or two blocks that the driver and the engine keep. */
    private static final long KEPT_BYTES = 32L << 20;

    GpuTrainersTest() {
        super(new GpuEngine(), KEPT_BYTES);
    }
}

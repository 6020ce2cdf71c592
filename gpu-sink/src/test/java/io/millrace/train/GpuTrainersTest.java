package io.millrace.train;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several trainers on a GPU, which nobody else may use meanwhile: its memory is counted for all processes. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuTrainersTest extends TrainersContract {
    /** A block or two of the driver's and the engine's own. */
    private static final long KEPT_BYTES = 32L << 20;

    GpuTrainersTest() {
        super(new GpuEngine(), KEPT_BYTES);
    }
}

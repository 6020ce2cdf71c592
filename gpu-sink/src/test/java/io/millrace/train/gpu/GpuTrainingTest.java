package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Training on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuTrainingTest extends TrainingContract {
    GpuTrainingTest() {
        super(new GpuEngine());
    }
}

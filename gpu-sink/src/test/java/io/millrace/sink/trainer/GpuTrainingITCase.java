package io.millrace.sink.trainer;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of complete trainings on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuTrainingITCase extends FlinkTrainingContract {
    GpuTrainingITCase() {
        super(new GpuEngine());
    }
}

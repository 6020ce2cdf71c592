package io.millrace.sink.trainer;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of complete trainings on a simulated GPU: the driver is a stub, and the engine computes on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedTrainingITCase extends FlinkTrainingContract {
    RehearsedTrainingITCase() {
        super(new RehearsedEngine(100));
    }
}

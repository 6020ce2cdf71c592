package io.millrace.sink;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whole trainings on a device, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedTrainingITCase extends FlinkTrainingContract {
    RehearsedTrainingITCase() {
        super(new RehearsedEngine(100));
    }
}

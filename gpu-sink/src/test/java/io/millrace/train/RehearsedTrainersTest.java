package io.millrace.train;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several trainers on a device, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedTrainersTest extends TrainersContract {
    RehearsedTrainersTest() {
        super(new RehearsedEngine(), 0);
    }
}

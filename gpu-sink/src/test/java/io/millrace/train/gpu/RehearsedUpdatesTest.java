package io.millrace.train.gpu;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import io.millrace.train.UpdatesContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rehearsal of updates on a device: the driver is a stub, and the engine runs on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedUpdatesTest extends UpdatesContract {
    RehearsedUpdatesTest() {
        super(new RehearsedEngine(300));
    }
}

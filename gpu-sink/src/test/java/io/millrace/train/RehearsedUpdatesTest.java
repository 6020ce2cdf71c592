package io.millrace.train;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Updates on a device, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedUpdatesTest extends UpdatesContract {
    RehearsedUpdatesTest() {
        super(new RehearsedEngine(300));
    }
}

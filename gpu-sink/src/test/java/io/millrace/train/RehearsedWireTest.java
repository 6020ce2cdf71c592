package io.millrace.train;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Numbers as they travel, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedWireTest extends WireContract {
    RehearsedWireTest() {
        super(new RehearsedEngine(0));
    }
}

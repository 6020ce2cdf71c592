package io.millrace.train.gpu;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rehearsal of wire types on a device: the driver is a stub, and the engine runs on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedWireTest extends WireContract {
    RehearsedWireTest() {
        super(new RehearsedEngine(0));
    }
}

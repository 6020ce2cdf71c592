package io.millrace.train;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Trainings on changed pictures, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedPicturesTest extends PicturesContract {
    RehearsedPicturesTest() {
        super(new RehearsedEngine());
    }
}

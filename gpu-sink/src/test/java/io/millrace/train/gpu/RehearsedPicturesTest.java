package io.millrace.train.gpu;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rehearsal of training on changed pictures: the driver is a stub, and the engine runs on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedPicturesTest extends PicturesContract {
    RehearsedPicturesTest() {
        super(new RehearsedEngine());
    }
}

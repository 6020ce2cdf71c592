package io.millrace.device;

import org.junit.jupiter.api.extension.ExtendWith;

/** Tensors and their memory with the engine on the CPU. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedEngineTensorsTest extends EngineTensorsContract {
    RehearsedEngineTensorsTest() {
        super(new RehearsedEngine());
    }
}

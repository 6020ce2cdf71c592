package io.millrace.device;

import io.millrace.train.engine.TrainingRuntime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(StubDriver.Needed.class)
class EngineOpeningTest {
    /** Lets each call of the driver fail once while a device with the engine's memory is opened and checked. */
    @Test
    void failureOfAnyCallDuringOpeningLeavesNothingOpen() {
        TrainingRuntime.preload();
        boolean failed = true;
        for (int call = 1; failed; call++) {
            StubDriver stub = StubDriver.fresh(1, 50);
            stub.failAt(call, StubDriver.UNKNOWN);
            try (CudaDevice device = StubDriver.rehearse(0)) {
                device.memory(1, "memory").close();
            } catch (DeviceException e) {
                if (!String.valueOf(e.getMessage()).contains("CUDA_ERROR_UNKNOWN")) {
                    throw e;
                }
            }
            failed = stub.hasFailed();
            stub.failAt(0, 0);
            stub.assertClean("when call " + call + " fails");
        }
    }
}

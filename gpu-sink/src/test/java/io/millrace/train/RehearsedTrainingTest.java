package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Training on a device, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedTrainingTest extends TrainingContract {
    RehearsedTrainingTest() {
        super(new RehearsedEngine());
    }

    /** Copies of rows and results go by page-locked memory, and nobody waits in a step but for the engine on the host. */
    @Test
    void aStepCopiesNothingFromPageableMemory() throws IOException {
        StubDriver driver = StubDriver.fresh(1, 50);
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device);
                DeviceBatch batch = device.allocate(training.spec().data().input(), 6)) {
            training.vectors().fill(batch, 0, 0, 6);
            long before = driver.pageableCopies();
            batch.beginUse();
            step.ask(batch);
            batch.endUse();
            assertThat(driver.pageableCopies()).isEqualTo(before);
        }
    }

    /** Each call of the driver fails once in a short training with a copy of its state and a restored one. */
    @Test
    void whicheverCallFailsNothingIsLeft() throws IOException {
        Continuation training = Continuation.mlp(TrainingFigures.SGD_NESTEROV);
        byte[] state;
        try (TrainStep step = training.open()) {
            training.train(step, 0, 1);
            state = Continuation.bytes(step);
        }
        boolean failed = true;
        for (int call = 1; failed; call++) {
            StubDriver driver = StubDriver.fresh(1, 0);
            driver.failAt(call, StubDriver.UNKNOWN);
            Throwable thrown = null;
            try (CudaDevice device = StubDriver.rehearse(0);
                    TrainStep step = training.open(device)) {
                Continuation.restore(step, state);
                training.train(step, 1, 2, device);
                Continuation.bytes(step);
            } catch (RuntimeException e) {
                thrown = e;
            }
            failed = driver.hasFailed();
            driver.failAt(0, 0);
            driver.assertClean("when call " + call + " fails");
            if (failed) {
                assertThat(thrown).as("failure of call %d", call).hasStackTraceContaining("CUDA_ERROR_UNKNOWN");
            } else {
                assertThat(thrown).isNull();
            }
        }
    }
}

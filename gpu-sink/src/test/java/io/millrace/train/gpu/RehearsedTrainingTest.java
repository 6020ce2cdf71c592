package io.millrace.train.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import io.millrace.train.Continuation;
import io.millrace.train.TrainStep;
import io.millrace.train.TrainingFigures;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rehearsal of training on a device: the driver is a stub, and the engine runs on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedTrainingTest extends TrainingContract {
    RehearsedTrainingTest() {
        super(new RehearsedEngine());
    }

    /** Rows and results are copied through page-locked memory, and a step waits for nothing but the engine on the host. */
    @Test
    void stepCopiesNothingFromPageableMemory() throws IOException {
        StubDriver driver = StubDriver.fresh(1, 50);
        Continuation training = Continuation.mlp(TrainingFigures.ADAM);
        try (CudaDevice device = StubDriver.rehearse(0);
                TrainStep step = training.open(device);
                DeviceBatch batch = device.allocate(training.spec().data().input(), 6)) {
            training.vectors().fill(batch, 0, 0, 6);
            long before = driver.pageableCopies();
            batch.beginUse();
            step.enqueue(batch);
            batch.endUse();
            assertThat(driver.pageableCopies()).isEqualTo(before);
        }
    }

    /** Each call of the driver fails once in a short training that copies its state and restores it. */
    @Tag("slow")
    @Test
    void nothingIsLeftAfterAnyFailedDriverCall() throws IOException {
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

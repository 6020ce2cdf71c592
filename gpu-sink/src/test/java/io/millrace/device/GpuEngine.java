package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.millrace.train.engine.Gpus;
import io.millrace.train.engine.TrainingRuntime;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The engine on the first GPU that is there, opened as trainers open it. For tests tagged "gpu", see {@link RealGpu}. */
public final class GpuEngine implements EngineUnderTest {
    /**
     * Skips a class of tests, and has that reported, where nobody asked for tests on a GPU, there is none, or PyTorch for CUDA
     * is not installed. One that is installed and does not start is no reason to skip: the tests then fail.
     */
    public static final class Needed implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            ConditionEvaluationResult gpu = new RealGpu().evaluateExecutionCondition(context);
            if (gpu.isDisabled()) {
                return gpu;
            }
            return Gpus.missing()
                    .map(ConditionEvaluationResult::disabled)
                    .orElseGet(() -> ConditionEvaluationResult.enabled("a GPU, and PyTorch for CUDA"));
        }
    }

    @Override
    public CudaOpener opener() {
        return TrainingRuntime::openCuda;
    }

    @Override
    public boolean computesAsTheHost() {
        return false;
    }

    /**
     * A device that is closed before what it made fails by itself, and other processes may use the GPU: what is left is that
     * no call before left an error behind.
     */
    @Override
    public void assertNothingLeft() {
        assertThatCode(() -> {
                    try (CudaDevice device = open()) {
                        device.engine().synchronize();
                        device.copies().synchronize();
                    }
                })
                .doesNotThrowAnyException();
    }
}

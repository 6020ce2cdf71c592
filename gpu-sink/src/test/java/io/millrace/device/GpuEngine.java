package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.millrace.train.engine.GpuRequirements;
import io.millrace.train.engine.TrainingRuntime;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The engine on the first GPU of the machine, opened like a trainer's. For tests tagged "gpu", see {@link RealGpu}. */
public final class GpuEngine implements EngineUnderTest {
    /**
     * Skips a class of tests with a reason, unless tests on a GPU were requested, there is a GPU, and PyTorch for CUDA
     * is installed. The tests are not skipped when PyTorch for CUDA is installed but does not start: then they fail.
     */
    public static final class Needed implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            ConditionEvaluationResult gpu = new RealGpu().evaluateExecutionCondition(context);
            if (gpu.isDisabled()) {
                return gpu;
            }
            return GpuRequirements.missing()
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
     * Checks that no earlier call left an error behind. More cannot be checked: a device that is closed before its
     * memory fails by itself, and other processes may use the GPU.
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

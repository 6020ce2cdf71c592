package io.millrace.device;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A condition for tests on a real GPU, tagged "gpu"; without a GPU they are reported as skipped. They run on request
 * and in their own JVM, because other tests load a stub of the driver for the whole process.
 *
 * <p>{@code MILLRACE_GPU_TESTS=1 mvn -B test -pl gpu-sink -am -Dgroups=gpu -Dtest.forks=1}: docs/develop/gpu.md lists
 * what they need.
 */
public final class RealGpu implements ExecutionCondition {
    static final String VARIABLE = "MILLRACE_GPU_TESTS";

    /** Returns whether this process is to load the driver of a GPU. */
    static boolean requested() {
        return "1".equals(System.getenv(VARIABLE));
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        // Without a driver, JCuda can be called only once in a JVM, so it is not called before a test needs it.
        if (!requested()) {
            return ConditionEvaluationResult.disabled(
                    "tests on a GPU run alone: " + VARIABLE + "=1 and -Dgroups=gpu, see docs/develop/gpu.md");
        }
        try {
            return ConditionEvaluationResult.enabled(CudaDevice.count() + " GPUs");
        } catch (DeviceException e) {
            return ConditionEvaluationResult.disabled(e.getMessage());
        }
    }
}

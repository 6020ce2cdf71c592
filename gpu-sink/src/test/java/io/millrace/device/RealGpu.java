package io.millrace.device;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For tests on a GPU that is there, tagged "gpu"; elsewhere they are reported as skipped. They run when they are asked for, in
 * a JVM of their own: others build a stub of the driver and load it in its place, for the whole process.
 *
 * <p>{@code MILLRACE_GPU_TESTS=1 mvn -B test -pl gpu-sink -am -Dgroups=gpu -Dtest.forks=1}: docs/use/gpu.md has what they need.
 */
public final class RealGpu implements ExecutionCondition {
    static final String VARIABLE = "MILLRACE_GPU_TESTS";

    /** Whether this process is to have the driver of a GPU. */
    static boolean wanted() {
        return "1".equals(System.getenv(VARIABLE));
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        // Without a driver JCuda can be asked once only in a JVM: not before somebody wants it.
        if (!wanted()) {
            return ConditionEvaluationResult.disabled(
                    "tests on a GPU run alone: " + VARIABLE + "=1 and -Dgroups=gpu, as docs/use/gpu.md says");
        }
        try {
            return ConditionEvaluationResult.enabled(CudaDevice.count() + " GPUs");
        } catch (DeviceException e) {
            return ConditionEvaluationResult.disabled(e.getMessage());
        }
    }
}

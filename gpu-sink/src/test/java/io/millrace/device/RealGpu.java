package io.millrace.device;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For tests on a GPU that is there, tagged "gpu"; elsewhere they are reported as skipped. They run when they are asked for, in
 * a JVM of their own: others build a stub of the driver and load it in its place, for the whole process.
 *
 * <p>{@code MILLRACE_GPU_TESTS=1 mvn -B test -pl gpu-sink -am -Dgroups=gpu -Dsurefire.failIfNoSpecifiedTests=false}
 */
public final class RealGpu implements ExecutionCondition {
    private static final String VARIABLE = "MILLRACE_GPU_TESTS";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        // Without a driver JCuda can be asked once only in a JVM: not before somebody wants it.
        if (!"1".equals(System.getenv(VARIABLE))) {
            return ConditionEvaluationResult.disabled(
                    "tests on a GPU run alone: " + VARIABLE + "=1 mvn -B test -pl gpu-sink -am -Dgroups=gpu");
        }
        try {
            return ConditionEvaluationResult.enabled(CudaDevice.count() + " GPUs");
        } catch (DeviceException e) {
            return ConditionEvaluationResult.disabled(e.getMessage());
        }
    }
}

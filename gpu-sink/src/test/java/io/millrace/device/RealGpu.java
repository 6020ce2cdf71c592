package io.millrace.device;

import org.junit.jupiter.api.Assumptions;

/**
 * For tests on a GPU that is there, tagged "gpu". They run when they are asked for, in a JVM of their own: others build a
 * stub of the driver and load it in its place, for the whole process.
 *
 * <p>{@code MILLRACE_GPU_TESTS=1 mvn -B test -pl gpu-sink -am -Dgroups=gpu -Dsurefire.failIfNoSpecifiedTests=false}
 */
public final class RealGpu {
    private static final String VARIABLE = "MILLRACE_GPU_TESTS";

    private RealGpu() {}

    /** Skips the test where it was not asked for, or there is no GPU that can be used. */
    public static void require() {
        // Without a driver JCuda can be asked once only in a JVM: not before somebody wants it.
        Assumptions.assumeTrue(
                "1".equals(System.getenv(VARIABLE)),
                "tests on a GPU run alone: " + VARIABLE + "=1 mvn -B test -pl gpu-sink -am -Dgroups=gpu");
        try {
            CudaDevice.count();
        } catch (DeviceException e) {
            Assumptions.abort(e.getMessage());
        }
    }
}

package io.millrace.device;

/**
 * The training engine of a test, and devices with the engine's memory: on a GPU, or on the CPU in a GPU's place. Each
 * test has its own, created before anything is opened.
 */
public interface EngineUnderTest {
    /** The largest difference between two sums of float32 numbers that were added in different orders. */
    double ROUNDING = 1e-4;

    /** Opens device 0 as the trainer of a run does; the caller closes it. */
    default CudaDevice open() {
        return opener().open(0);
    }

    /** Returns the opener of devices for a trainer. */
    CudaOpener opener();

    /**
     * Returns whether the engine computes the same as the engine on the host, to the last bit, and draws the same
     * random numbers. A GPU adds in other orders, which also differ from run to run, and has its own random number
     * generator.
     */
    boolean computesAsTheHost();

    /**
     * Returns the largest difference to the host's or torch's results, for which the engine on the host keeps {@code
     * known}.
     */
    default double within(double known) {
        return computesAsTheHost() ? known : Math.max(known, ROUNDING);
    }

    /** Fails when something is left open of the devices that were opened, as far as the test can find out. */
    void assertNothingLeft();
}

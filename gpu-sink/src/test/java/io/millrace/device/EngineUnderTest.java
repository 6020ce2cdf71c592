package io.millrace.device;

/**
 * The training engine of a test, with devices whose memory is its: on a GPU, or on the processor in a GPU's place. A test
 * has one of its own, made before anything is opened.
 */
public interface EngineUnderTest {
    /** How far two sums of float32 numbers may be apart that were added in different orders. */
    double ROUNDING = 1e-4;

    /** Opens device 0, as a trainer of a run does; the caller closes it. */
    default CudaDevice open() {
        return opener().open(0);
    }

    /** Opens devices where a trainer runs. */
    CudaOpener opener();

    /**
     * Whether it computes what the engine on the host does, to the last bit, and draws the same random numbers. A GPU adds in
     * other orders, which also differ from one run to the next, and has a generator of its own.
     */
    boolean computesAsTheHost();

    /** How far its results may be from the host's or torch's, where the engine on the host keeps within {@code known}. */
    default double within(double known) {
        return computesAsTheHost() ? known : Math.max(known, ROUNDING);
    }

    /** Fails when something is left of the devices that were opened, as far as that can be told. */
    void assertNothingLeft();
}

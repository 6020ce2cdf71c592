package io.millrace.device;

import io.millrace.train.engine.TrainingRuntime;

/** What a run on a GPU does, but for the GPU: the driver is a stub, and the engine computes on the processor. */
public final class RehearsedEngine implements EngineUnderTest {
    private final StubDriver driver;

    /** With pauses of up to 50 us. */
    public RehearsedEngine() {
        this(50);
    }

    /**
     * Loads the driver for two devices afresh, then the engine if it is not loaded.
     *
     * @param pauseMicros what one in four pieces of the driver's work waits at most before it is done
     */
    public RehearsedEngine(int pauseMicros) {
        driver = StubDriver.fresh(2, pauseMicros);
        TrainingRuntime.preload();
    }

    @Override
    public CudaOpener opener() {
        return StubDriver::rehearse;
    }

    @Override
    public boolean computesAsTheHost() {
        return true;
    }

    @Override
    public void assertNothingLeft() {
        driver.assertClean("after a test");
    }
}

package io.millrace.device;

import io.millrace.train.engine.TrainingRuntime;

/** A run on a GPU without the GPU: the driver is a stub, and the engine computes on the CPU. */
public final class RehearsedEngine implements EngineUnderTest {
    private final StubDriver driver;

    /** Creates an engine whose driver makes pauses of up to 50 us. */
    public RehearsedEngine() {
        this(50);
    }

    /**
     * Resets the driver to two devices, then loads the engine if it is not loaded.
     *
     * @param pauseMicros the longest pause before the driver does a piece of work; one in four pieces has a pause
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

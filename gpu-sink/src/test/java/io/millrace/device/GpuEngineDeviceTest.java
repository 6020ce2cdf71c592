package io.millrace.device;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract for devices on a GPU with the engine's memory. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuEngineDeviceTest extends DeviceContract {
    private final EngineUnderTest engine = new GpuEngine();

    @Override
    Device open() {
        return engine.open();
    }

    @Override
    void assertNothingLeft() {
        engine.assertNothingLeft();
    }
}

package io.millrace.train.engine;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceException;
import java.util.Optional;

/** A check whether trainers of this process could use a GPU, before any of them starts. Any thread may call it. */
public final class GpuRequirements {
    private GpuRequirements() {}

    /**
     * Returns a sentence about the missing part: the driver, a device, or the engine's CUDA libraries. Empty when nothing is
     * missing.
     */
    public static Optional<String> missing() {
        try {
            CudaDevice.count();
            EngineNatives.find().requireCuda();
            return Optional.empty();
        } catch (DeviceException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}

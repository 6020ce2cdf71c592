package io.millrace.train.engine;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceException;
import java.util.Optional;

/** Tells whether trainers of this process could have a GPU, before any begins. Any thread may call. */
public final class Gpus {
    private Gpus() {}

    /** What is missing for it, in words: the driver, a device, or the engine's libraries; empty when all is there. */
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

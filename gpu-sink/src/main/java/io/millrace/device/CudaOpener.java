package io.millrace.device;

import java.io.Serializable;

/** Opens a CUDA device where the trainer runs. */
@FunctionalInterface
public interface CudaOpener extends Serializable {
    /**
     * Opens a device.
     *
     * @param number the number of the device, from 0
     * @throws DeviceException with what is missing
     */
    CudaDevice open(int number);
}

package io.millrace.sink;

import io.millrace.device.DeviceSpec;
import java.io.Serializable;

/**
 * The device that a trainer opens, and its memory for batches.
 *
 * @param device the device, which is opened where the trainer runs
 * @param batchesInFlight the number of batches in the device's memory, in any state; at least 2
 */
public record DeviceUse(DeviceSpec device, int batchesInFlight) implements Serializable {
    public DeviceUse {
        if (batchesInFlight < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + batchesInFlight);
        }
    }

    /** Returns the use of the host as the device. */
    public static DeviceUse ofHost(int batchesInFlight) {
        return new DeviceUse(DeviceSpec.HOST, batchesInFlight);
    }
}

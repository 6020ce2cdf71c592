package io.millrace.sink.spec;

import io.millrace.device.DeviceSpec;
import java.io.Serializable;

/**
 * The ring of batches of a trainer, and the device that holds it.
 *
 * @param device the device, which is opened where the trainer runs
 * @param batchesInFlight the number of batches in the device's memory, in any state; at least 2
 */
public record RingSpec(DeviceSpec device, int batchesInFlight) implements Serializable {
    public RingSpec {
        if (batchesInFlight < 2) {
            throw new IllegalArgumentException("a ring needs at least 2 batches, found " + batchesInFlight);
        }
    }

    /** Returns a ring in the memory of the host. */
    public static RingSpec ofHost(int batchesInFlight) {
        return new RingSpec(DeviceSpec.HOST, batchesInFlight);
    }
}

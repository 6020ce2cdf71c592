package io.millrace.device;

import io.millrace.device.PinnedSlab.Need;
import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a trainer's device, and of the memory from which micro-batches reach it. It is serialized to the
 * training task.
 *
 * @param number the number of a CUDA device, from 0; null for a device that no other trainer of the machine uses,
 *     preferably the one that the cluster assigns to the task
 * @param pinnedLimitBytes the limit of page-locked memory for micro-batches, 0 for none; the host needs none
 * @param pinnedNeed the treatment of micro-batches that find no room there
 * @param opener opens CUDA devices; its exception names what is missing
 * @param link the link of a simulated device; other devices have none
 * @param leastStep the least duration of a batch on a simulated device, see {@link AsynchronousDevice}
 */
public record DeviceSpec(
        Kind kind,
        @Nullable Integer number,
        long pinnedLimitBytes,
        Need pinnedNeed,
        CudaOpener opener,
        SimulatedLink link,
        Duration leastStep)
        implements Serializable {
    /** The kinds of devices. */
    public enum Kind {
        /** A GPU if the opener can open one for the trainer, otherwise the host. */
        AUTO,
        /** The CPU and the memory of this process. */
        HOST,
        /** An NVIDIA GPU. */
        CUDA,
        /** An {@link AsynchronousDevice}, for rehearsals. */
        SIMULATED
    }

    /** The host. */
    public static final DeviceSpec HOST = new DeviceSpec(Kind.HOST, null, 0, Need.PREFERRED, CudaDevice::open);

    public DeviceSpec {
        if (number != null && number < 0) {
            throw new IllegalArgumentException("a device's number: expected at least 0, found " + number);
        }
        if (pinnedLimitBytes < 0) {
            throw new IllegalArgumentException(
                    "page-locked memory: expected a limit of at least 0 bytes, found " + pinnedLimitBytes);
        }
    }

    /** Creates the choice of a device that is not simulated. */
    public DeviceSpec(Kind kind, @Nullable Integer number, long pinnedLimitBytes, Need pinnedNeed, CudaOpener opener) {
        this(kind, number, pinnedLimitBytes, pinnedNeed, opener, SimulatedLink.NONE, Duration.ZERO);
    }

    /** Returns the choice of a simulated asynchronous device, see {@link AsynchronousDevice}. */
    public static DeviceSpec simulated(SimulatedLink link, Duration leastStep) {
        return new DeviceSpec(Kind.SIMULATED, null, 0, Need.PREFERRED, CudaDevice::open, link, leastStep);
    }

    /** Returns the choice of the GPU of that number, with the driver's memory. */
    public static DeviceSpec cuda(int number, long pinnedLimitBytes, Need pinnedNeed) {
        return new DeviceSpec(Kind.CUDA, number, pinnedLimitBytes, pinnedNeed, CudaDevice::open);
    }
}

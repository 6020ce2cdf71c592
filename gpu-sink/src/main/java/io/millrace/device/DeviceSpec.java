package io.millrace.device;

import io.millrace.device.PinnedSlab.Need;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Which device a trainer works on, and the memory that micro-batches reach it from. Travels to the training task.
 *
 * @param number of a CUDA device, from 0; null for the one that the cluster gives the task, or else one by the trainer's rank
 * @param pinnedLimitBytes the most page-locked memory for micro-batches, 0 for none; the host needs none
 * @param pinnedNeed what becomes of micro-batches that find no room there
 * @param opener of CUDA devices; it says what is missing where one cannot be had
 */
public record DeviceSpec(Kind kind, @Nullable Integer number, long pinnedLimitBytes, Need pinnedNeed, CudaOpener opener)
        implements Serializable {
    /** Kinds of devices. */
    public enum Kind {
        /** A GPU where the opener has one for the trainer, else the host. */
        AUTO,
        /** This process's processor and memory. */
        HOST,
        /** An NVIDIA GPU. */
        CUDA
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

    /** A GPU of that number, with the driver's memory. */
    public static DeviceSpec cuda(int number, long pinnedLimitBytes, Need pinnedNeed) {
        return new DeviceSpec(Kind.CUDA, number, pinnedLimitBytes, pinnedNeed, CudaDevice::open);
    }

    /** The same, opened otherwise. */
    public DeviceSpec openedBy(CudaOpener other) {
        return new DeviceSpec(kind, number, pinnedLimitBytes, pinnedNeed, other);
    }
}

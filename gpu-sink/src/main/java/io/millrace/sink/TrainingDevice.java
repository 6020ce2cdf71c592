package io.millrace.sink;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.DeviceMemoryException;
import io.millrace.device.DeviceSpec;
import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceWatch;
import io.millrace.device.HostDevice;
import io.millrace.device.PinnedSlab;
import io.millrace.lifecycle.Handles;
import io.millrace.train.engine.TrainingRuntime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device of one trainer. While it is open, micro-batches for the trainers of this process arrive in its page-locked
 * memory. Only the task's thread calls it.
 */
public final class TrainingDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingDevice.class);

    private final Device device;
    private final Optional<PinnedSlab> pinned;
    private final DeviceWatch watch;

    /** The device's name for messages, and the reason for the choice if the configuration does not name a device. */
    private final String description;

    private final Handles handles = new Handles();

    private TrainingDevice(DeviceSpec spec, Device chosen, @Nullable DeviceException refusal) {
        device = handles.add(chosen);
        description = refusal == null ? device.describe() : device.describe() + ", not a GPU: " + refusal.getMessage();
        pinned = handles.closeOnFailure(() -> device instanceof CudaDevice cuda && spec.pinnedLimitBytes() > 0
                ? Optional.of(
                        new PinnedSlab(CudaDevice.open(cuda.number()), spec.pinnedLimitBytes(), spec.pinnedNeed()))
                : Optional.empty());
        pinned.ifPresent(slab -> {
            handles.add(slab);
            MicroBatchMemory.addSource(slab);
            handles.add(() -> MicroBatchMemory.removeSource(slab));
        });
        watch = handles.closeOnFailure(() -> handles.add(DeviceWatch.of(device)));
        if (!(device instanceof HostDevice)) {
            DeviceTrace.of(device).ifPresent(device.use()::listen);
        }
        LOG.info("the trainer uses {}", description);
    }

    /**
     * Opens the device of a trainer.
     *
     * @param given the numbers of the devices that the cluster has assigned to the task, as text; empty when it
     *     assigned none
     * @throws DeviceException when the device cannot be opened; the message names the cause
     */
    public static TrainingDevice open(DeviceSpec spec, int rank, Collection<String> given) {
        if (spec.kind() == DeviceSpec.Kind.HOST) {
            return new TrainingDevice(spec, new HostDevice(), null);
        }
        Device chosen;
        try {
            chosen = spec.opener().open(number(spec, rank, given));
        } catch (DeviceMemoryException | DeviceBrokenException e) {
            throw e; // a device exists, but does not work
        } catch (DeviceException e) {
            if (spec.kind() == DeviceSpec.Kind.CUDA) {
                throw e;
            }
            return new TrainingDevice(spec, new HostDevice(), e);
        }
        return new TrainingDevice(spec, chosen, null);
    }

    private static int number(DeviceSpec spec, int rank, Collection<String> given) {
        Integer chosen = spec.number();
        if (chosen != null) {
            return chosen;
        }
        if (given.isEmpty()) {
            return rank % CudaDevice.count();
        }
        String first = List.copyOf(given).get(0);
        try {
            return Integer.parseInt(first);
        } catch (NumberFormatException e) {
            throw new DeviceException(
                    "the cluster assigned the GPU '" + first
                            + "' to this task: expected its number, as nvidia-smi counts",
                    e);
        }
    }

    /** Returns the device, which this object owns. */
    public Device device() {
        return device;
    }

    /** Returns the page-locked memory for micro-batches; empty when there is none. */
    Optional<PinnedSlab> pinned() {
        return pinned;
    }

    /** Returns the watch of the device's memory and load. */
    DeviceWatch watch() {
        return watch;
    }

    /**
     * Returns the device's figures. For a broken device, returns the latest figures that were read.
     *
     * @param ringWaitNanos the time for which the task waited for a batch of the ring
     */
    DeviceFigures figures(long ringWaitNanos) {
        DeviceUse.Sums use;
        try {
            use = device.use().sums();
        } catch (DeviceException e) {
            LOG.info("{} does not report its use any more: {}", device.describe(), e.getMessage());
            use = device.use().latest();
        }
        return new DeviceFigures(
                device.name(),
                description,
                TrainingRuntime.loadedVersion(),
                use,
                ringWaitNanos,
                pinned.isEmpty() ? null : Long.valueOf(pinned.get().use().pageableBuffers()),
                watch.seen());
    }

    /** Stops serving memory to micro-batches, and closes the device; its batches must be closed already. */
    @Override
    public void close() {
        handles.close();
    }
}

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
 * The device of one trainer, and the page-locked memory that micro-batches for the process's trainers arrive in while it
 * is open. The task's thread alone calls.
 */
public final class TrainingDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingDevice.class);

    private final Device device;
    private final Optional<PinnedSlab> pinned;
    private final DeviceWatch watch;

    /** For people: which device it is, and why it was chosen where that was left open. */
    private final String told;

    private final Handles handles = new Handles();

    private TrainingDevice(DeviceSpec spec, Device chosen, @Nullable DeviceException refusal) {
        device = handles.add(chosen);
        told = refusal == null ? device.told() : device.told() + ", not a GPU: " + refusal.getMessage();
        pinned = handles.closeOnFailure(() -> device instanceof CudaDevice cuda && spec.pinnedLimitBytes() > 0
                ? Optional.of(
                        new PinnedSlab(CudaDevice.open(cuda.number()), spec.pinnedLimitBytes(), spec.pinnedNeed()))
                : Optional.empty());
        pinned.ifPresent(slab -> {
            handles.add(slab);
            MicroBatchMemory.serveFrom(slab);
            handles.add(() -> MicroBatchMemory.serveNoMoreFrom(slab));
        });
        watch = handles.closeOnFailure(() -> handles.add(DeviceWatch.of(device)));
        if (!(device instanceof HostDevice)) {
            DeviceTrace.of(device).ifPresent(device.use()::listen);
        }
        LOG.info("the trainer works on {}", told);
    }

    /**
     * Opens the device of a trainer.
     *
     * @param given the numbers of the devices that the cluster gave to the task, as it tells them; empty when it knows none
     * @throws DeviceException with what is missing when it cannot be had
     */
    public static TrainingDevice open(DeviceSpec spec, int rank, Collection<String> given) {
        if (spec.kind() == DeviceSpec.Kind.HOST) {
            return new TrainingDevice(spec, new HostDevice(), null);
        }
        Device chosen;
        try {
            chosen = spec.opener().open(number(spec, rank, given));
        } catch (DeviceMemoryException | DeviceBrokenException e) {
            throw e; // there is a device, and it does not work
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
                    "the cluster gives this task the GPU '" + first + "': expected its number, as nvidia-smi counts",
                    e);
        }
    }

    /** The device; this owns it. */
    public Device device() {
        return device;
    }

    /** What micro-batches arrive in, where that is page-locked. */
    Optional<PinnedSlab> pinned() {
        return pinned;
    }

    /** What was seen of its memory and load. */
    DeviceWatch watch() {
        return watch;
    }

    /**
     * Returns the use of the device. When the device is broken and cannot be read any more, the latest known use is returned.
     *
     * @param slotWaitNanos the time in which the task waited for memory of a batch
     */
    DeviceFigures figures(long slotWaitNanos) {
        return new DeviceFigures(
                device.name(),
                told,
                TrainingRuntime.loadedVersion(),
                use(),
                slotWaitNanos,
                pinned.isEmpty() ? null : Long.valueOf(pinned.get().use().pageableBuffers()),
                watch.seen());
    }

    private DeviceUse.Sums use() {
        try {
            return device.use().sums();
        } catch (DeviceException e) {
            LOG.info("the use of {} cannot be read any more: {}", device.told(), e.getMessage());
            return device.use().latest();
        }
    }

    /** Serves no more micro-batches, and closes the device; its batches must be closed. */
    @Override
    public void close() {
        handles.close();
    }
}

package io.millrace.sink.trainer;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.AsynchronousDevice;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.DeviceMemoryException;
import io.millrace.device.DeviceSpec;
import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceWatch;
import io.millrace.device.EngineTensors;
import io.millrace.device.GpuClaims;
import io.millrace.device.HostDevice;
import io.millrace.device.NoGpuException;
import io.millrace.device.NumaNodes;
import io.millrace.device.PinnedSlab;
import io.millrace.device.SuspectedMemoryException;
import io.millrace.device.TrainerGpu;
import io.millrace.lifecycle.Handles;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.train.engine.CudaSettings;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Tuning;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.accumulators.Accumulator;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device of one trainer. While it is open, micro-batches for the trainers of this process arrive in its page-locked
 * memory. Only the task's thread calls it.
 */
public final class TrainingDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingDevice.class);

    /** The name of the accumulator {@link Opened}. */
    public static final String ACCUMULATOR = "millrace devices";

    /**
     * The accumulator with the devices that the trainers have opened. It is registered as soon as a device is open, so that
     * clients can name the device at the start of a run, and after a run that failed before it trained. As text, it is
     * the devices' descriptions.
     */
    public static final class Opened implements Accumulator<DeviceFigures, Serializable> {
        private static final long serialVersionUID = 1;

        /** The devices. The task's thread writes it before Flink's heartbeat reads it. */
        private final Devices devices = new Devices();

        /** The value of the accumulator, which Flink's REST interface returns as text. */
        private static final class Devices extends ArrayList<DeviceFigures> {
            private static final long serialVersionUID = 1;

            @Override
            public String toString() {
                return stream().map(DeviceFigures::description).distinct().collect(Collectors.joining(", "));
            }
        }

        /** Returns the devices in a value of this accumulator together; null for another value, or none. */
        public static @Nullable DeviceFigures whole(@Nullable Object value) {
            return DeviceFigures.whole(devices(value).stream());
        }

        private static List<DeviceFigures> devices(@Nullable Object value) {
            return value instanceof List<?> list
                    ? list.stream()
                            .filter(DeviceFigures.class::isInstance)
                            .map(DeviceFigures.class::cast)
                            .toList()
                    : List.of();
        }

        @Override
        public void add(DeviceFigures value) {
            devices.add(value);
        }

        @Override
        public Serializable getLocalValue() {
            return devices;
        }

        @Override
        public void resetLocal() {
            devices.clear();
        }

        @Override
        public void merge(Accumulator<DeviceFigures, Serializable> other) {
            devices(other.getLocalValue()).forEach(devices::add);
        }

        @Override
        @SuppressWarnings({"MissingSuperCall", "CloneableImplementsClone"})
        public Opened clone() {
            Opened copy = new Opened();
            copy.devices.addAll(devices);
            return copy;
        }
    }

    private final Device device;
    private final Optional<PinnedSlab> pinned;
    private final DeviceWatch watch;

    /** The device's name for messages, and the reason for the choice if the configuration does not name a device. */
    private final String description;

    /** The warning about the NUMA node of the device, if there is one. */
    private final Optional<String> warning;

    private final Handles handles;

    /** Takes ownership of the handles, which hold the device and the claim on it. */
    private TrainingDevice(
            DeviceSpec spec,
            Device chosen,
            @Nullable DeviceException refusal,
            Optional<String> numaWarning,
            Handles opened) {
        handles = opened;
        device = chosen;
        warning = numaWarning;
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
        if (device.isAsynchronous()) {
            DeviceTrace.of(device).ifPresent(device.use()::listen);
        }
        LOG.info("the trainer uses {}", description);
        warning.ifPresent(LOG::warn);
    }

    /**
     * Opens the device of a trainer.
     *
     * @param given the GPUs that the cluster has assigned to the task, by their numbers as {@code nvidia-smi} counts, or
     *     by their UUIDs; empty when it assigned none
     * @throws DeviceException when the device cannot be opened; the message names the cause
     */
    public static TrainingDevice open(DeviceSpec spec, int rank, Collection<String> given) {
        return open(spec, rank, given, GpuClaims.ofMachine(), NumaNodes.ofMachine());
    }

    /** Opens the device of a trainer, see {@link #open(DeviceSpec, int, Collection)}, with other claims and nodes. */
    static TrainingDevice open(DeviceSpec spec, int rank, Collection<String> given, GpuClaims claims, NumaNodes numa) {
        Handles opened = new Handles();
        if (spec.kind() == DeviceSpec.Kind.HOST) {
            return new TrainingDevice(spec, opened.add(new HostDevice()), null, Optional.empty(), opened);
        }
        if (spec.kind() == DeviceSpec.Kind.SIMULATED) {
            return new TrainingDevice(
                    spec,
                    opened.add(new AsynchronousDevice(spec.link(), spec.leastStep())),
                    null,
                    Optional.empty(),
                    opened);
        }
        try {
            Device chosen = opened.closeOnFailure(() -> {
                TrainerGpu gpu = opened.add(TrainerGpu.claim(claims, spec.number(), rank, given));
                return opened.add(spec.opener().open(gpu.number()));
            });
            Optional<String> away = opened.closeOnFailure(() -> numaWarning(chosen, numa));
            return new TrainingDevice(spec, chosen, null, away, opened);
        } catch (DeviceMemoryException | SuspectedMemoryException | DeviceBrokenException e) {
            throw e; // a device exists, but does not work
        } catch (DeviceException e) {
            if (spec.kind() == DeviceSpec.Kind.CUDA) {
                throw e;
            }
            if (!(e instanceof NoGpuException)) {
                LOG.warn("training runs on the host, because the GPU cannot be used: {}", e.getMessage());
            }
            return new TrainingDevice(spec, opened.add(new HostDevice()), e, Optional.empty(), opened);
        }
    }

    private static Optional<String> numaWarning(Device device, NumaNodes numa) {
        if (!(device instanceof CudaDevice cuda)) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(cuda.place(numa).warning());
        } catch (DeviceBrokenException e) {
            throw e;
        } catch (DeviceException e) {
            LOG.info("the NUMA node of {} is unknown: {}", device.describe(), e.getMessage());
            return Optional.empty();
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

    /** Registers the metrics of the device and of its page-locked memory with Flink. */
    void register(MetricGroup group) {
        pinned.ifPresent(slab -> TrainerMetrics.register(group, slab));
        TrainerMetrics.register(group, device.use(), watch);
    }

    /** Returns an accumulator with this device. */
    Opened opened(Tuning tuning) {
        Opened opened = new Opened();
        opened.add(figures(tuning, 0));
        return opened;
    }

    /** Returns the watch of the device's memory and load. */
    DeviceWatch watch() {
        return watch;
    }

    /**
     * Returns the device's figures. For a broken device, returns the latest figures that were read.
     *
     * @param tuning the settings of the training on this device
     * @param ringWaitNanos the time for which the task waited for a batch of the ring
     */
    DeviceFigures figures(Tuning tuning, long ringWaitNanos) {
        DeviceUse.Sums use;
        try {
            use = device.use().sums();
        } catch (DeviceException e) {
            LOG.info("{} does not report its use any more: {}", device.describe(), e.getMessage());
            use = device.use().latest();
        }
        String version = TrainingRuntime.loadedVersion();
        MemoryFormat format = tuning.format(EngineTensors.computesOnGpu(device));
        return new DeviceFigures(
                device.name(),
                description,
                version,
                use,
                ringWaitNanos,
                pinned.isEmpty() ? null : Long.valueOf(pinned.get().use().pageableBuffers()),
                watch.seen(),
                version == null ? null : format.name().toLowerCase(Locale.ROOT),
                warnings(tuning));
    }

    private List<String> warnings(Tuning tuning) {
        return Stream.concat(
                        tuning.kernels() == GpuKernels.REPRODUCIBLE ? CudaSettings.warnings().stream() : Stream.empty(),
                        warning.stream())
                .toList();
    }

    /** Stops serving memory to micro-batches, and closes the device; its batches must be closed already. */
    @Override
    public void close() {
        handles.close();
    }
}

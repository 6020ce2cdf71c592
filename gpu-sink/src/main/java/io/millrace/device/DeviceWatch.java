package io.millrace.device;

import io.millrace.device.CudaDevice.MemoryUse;
import io.millrace.lifecycle.Handles;
import io.millrace.lifecycle.Uninterrupted;
import java.io.Serializable;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch that reads a GPU once a second, on a thread of its own: its memory, and the figures of {@link Nvml} if NVML
 * can be opened. For the host it reads nothing. Its owner closes it before the device.
 */
public final class DeviceWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceWatch.class);
    private static final int PERIOD_MILLIS = 1000;

    /**
     * The figures that were read; null stands for unknown.
     *
     * @param memoryUsedBytes the device's memory that all processes use
     * @param mostMemoryUsedBytes the largest amount that was read
     * @param utilization the share of time in which the GPU computed anything, 0 to 1, at the latest reading
     * @param meanUtilization the mean over the readings since the first step; the start of a run is no part of it
     * @param meanWatts the mean power over the same readings
     */
    public record Seen(
            @Nullable Long memoryUsedBytes,
            @Nullable Long mostMemoryUsedBytes,
            @Nullable Long memoryTotalBytes,
            @Nullable Double utilization,
            @Nullable Double meanUtilization,
            @Nullable Double watts,
            @Nullable Double meanWatts)
            implements Serializable {
        /** Figures that are all unknown. */
        public static final Seen NOTHING = new Seen(null, null, null, null, null, null, null);
    }

    private final Handles handles = new Handles();

    /** Volatile: the watching thread writes it, any thread reads it. */
    private volatile Seen seen = Seen.NOTHING;

    private double utilizationSum;
    private int utilizations;
    private double wattsSum;
    private int powers;

    private DeviceWatch() {}

    /** Starts to watch a device. */
    public static DeviceWatch of(Device device) {
        return of(device, Nvml::tryOpen);
    }

    /** Starts to watch a device, with a function that opens NVML. */
    static DeviceWatch of(Device device, Supplier<Optional<Nvml>> opening) {
        DeviceWatch watch = new DeviceWatch();
        if (device instanceof CudaDevice cuda) {
            watch.handles.closeOnFailure(() -> watch.begin(cuda, opening));
        }
        return watch;
    }

    private DeviceWatch begin(CudaDevice device, Supplier<Optional<Nvml>> opening) {
        String uuid = device.facts().uuid();
        Optional<Nvml> nvml = opening.get();
        nvml.ifPresent(handles::add);
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "millrace-device-watch");
            made.setDaemon(true);
            return made;
        });
        handles.add(() -> end(thread));
        ScheduledFuture<?> unused = thread.scheduleAtFixedRate(
                () -> read(device, nvml, uuid), 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS); // read() handles what fails
        return this;
    }

    /** Waits for a reading that is in progress, because it uses the device. */
    private static void end(ScheduledExecutorService thread) {
        thread.shutdown();
        Uninterrupted.await(() -> thread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
    }

    private void read(CudaDevice device, Optional<Nvml> nvml, String uuid) {
        try {
            MemoryUse memory = device.memoryUse();
            Nvml.Reading gpu = nvml.isEmpty() ? null : nvml.get().read(uuid);
            Double utilization = gpu == null ? null : gpu.utilization();
            Double watts = gpu == null ? null : gpu.watts();
            boolean working = device.use().hasBegun();
            if (working && utilization != null) {
                utilizationSum += utilization;
                utilizations++;
            }
            if (working && watts != null) {
                wattsSum += watts;
                powers++;
            }
            Long most = seen.mostMemoryUsedBytes();
            seen = new Seen(
                    memory.usedBytes(),
                    most == null ? memory.usedBytes() : Math.max(most, memory.usedBytes()),
                    memory.totalBytes(),
                    utilization,
                    utilizations == 0 ? null : utilizationSum / utilizations,
                    watts,
                    powers == 0 ? null : wattsSum / powers);
        } catch (DeviceException e) {
            // If the exception were rethrown, the readings would end. If the device is broken, the trainer reports
            // that.
            LOG.debug("the device cannot be read: {}", e.getMessage());
        }
    }

    /** Returns the figures that were read so far. */
    public Seen seen() {
        return seen;
    }

    /** Waits for a reading that is in progress; closing again does nothing. */
    @Override
    public void close() {
        handles.close();
    }
}

package io.millrace.device;

import io.millrace.device.CudaDevice.MemoryUse;
import io.millrace.lifecycle.Handles;
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
 * Looks at a GPU once a second, on a thread of its own: its memory, and what {@link Nvml} tells where that is there. Of the
 * host there is nothing to see. Whoever opens it closes it before the device.
 */
public final class DeviceWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceWatch.class);
    private static final int PERIOD_MILLIS = 1000;

    /**
     * What was seen; null is unknown.
     *
     * @param memoryUsedBytes of the device, by all processes
     * @param mostMemoryUsedBytes the most that was seen
     * @param utilization share of the time in which the GPU computed anything, 0 to 1, at the latest look
     * @param meanUtilization of all looks
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
        /** Nothing is known. */
        public static final Seen NOTHING = new Seen(null, null, null, null, null, null, null);
    }

    private final Handles handles = new Handles();

    /** Written by the watching thread alone, read by any. */
    private volatile Seen seen = Seen.NOTHING;

    private double utilizationSum;
    private int utilizations;
    private double wattsSum;
    private int powers;

    private DeviceWatch() {}

    /** Begins to watch. */
    public static DeviceWatch of(Device device) {
        return of(device, Nvml::tryOpen);
    }

    /** The same with what opens NVML. */
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
                () -> look(device, nvml, uuid), 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS); // look() tells what fails
        return this;
    }

    /** A look that is under way uses the device. */
    private static void end(ScheduledExecutorService thread) {
        thread.shutdown();
        boolean interrupted = false;
        for (boolean ended = false; !ended; ) {
            try {
                ended = thread.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(CudaDevice device, Optional<Nvml> nvml, String uuid) {
        try {
            MemoryUse memory = device.memoryUse();
            Nvml.Reading gpu = nvml.isEmpty() ? null : nvml.get().read(uuid);
            Double utilization = gpu == null ? null : gpu.utilization();
            Double watts = gpu == null ? null : gpu.watts();
            if (utilization != null) {
                utilizationSum += utilization;
                utilizations++;
            }
            if (watts != null) {
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
            // Thrown on, it would end the looks: the trainer tells if the device is broken.
            LOG.debug("no look at the device: {}", e.getMessage());
        }
    }

    /** What was seen so far. */
    public Seen seen() {
        return seen;
    }

    /** Waits for a look that is under way; closing again does nothing. */
    @Override
    public void close() {
        handles.close();
    }
}

package io.millrace.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of this machine besides its CPU, and the reasons why some of them cannot be used. Null stands for unknown
 * or absent.
 *
 * @param missing the reason why no GPU can be used; null when one can
 * @param driverVersion the version of the driver, such as "570.86.15"
 * @param cudaVersion the newest CUDA version that the driver supports, such as "12.8"
 * @param gpus the machine's GPUs as far as they are known, first those that this process may use
 * @param nvmlMissing the reason why utilization and power are unknown; null when they are known
 * @param visible the value of {@code CUDA_VISIBLE_DEVICES}
 * @param lockedLimitBytes the memory that this process may lock, as {@code ulimit -l} prints it; {@link Long#MAX_VALUE}
 *     without a limit
 * @param numa the NUMA nodes of the machine
 */
public record FoundDevices(
        @Nullable String missing,
        @Nullable String driverVersion,
        @Nullable String cudaVersion,
        List<FoundGpu> gpus,
        @Nullable String nvmlMissing,
        @Nullable String visible,
        @Nullable Long lockedLimitBytes,
        NumaNodes numa) {
    private static final Logger LOG = LoggerFactory.getLogger(FoundDevices.class);
    private static final Pattern MODULE = Pattern.compile("Kernel Module(?:\\s+for\\s+\\S+)?\\s+([0-9][0-9.]*)");
    private static final Pattern LOCKED = Pattern.compile("Max locked memory\\s+(\\S+)");

    /**
     * A GPU.
     *
     * @param number the number of the GPU in this process; null when this process may not use it
     * @param place the NUMA node to which the GPU is attached; null when this process may not use the GPU
     */
    public record FoundGpu(
            @Nullable Integer number,
            String name,
            String uuid,
            @Nullable Long memoryBytes,
            @Nullable String computeCapability,
            NumaNodes.@Nullable Place place) {}

    public FoundDevices {
        gpus = List.copyOf(gpus);
    }

    /** Looks for devices; this takes up to some seconds on a machine with a driver. */
    public static FoundDevices find() {
        NumaNodes numa = NumaNodes.ofMachine();
        List<FoundGpu> gpus = new ArrayList<>();
        String missing = null;
        String cuda = null;
        try {
            int count = CudaDriver.devices();
            cuda = CudaDriver.version();
            for (int number = 0; number < count; number++) {
                GpuFacts facts = CudaDriver.facts(number);
                gpus.add(new FoundGpu(
                        number,
                        facts.name(),
                        facts.uuid(),
                        facts.memoryBytes(),
                        facts.computeCapability(),
                        numa.place("cuda:" + number + " (" + facts.name() + ")", CudaDriver.pciAddress(number))));
            }
        } catch (DeviceException e) {
            missing = e.getMessage();
        }
        String driver = firstMatch(Path.of("/proc/driver/nvidia/version"), MODULE);
        String nvmlMissing = null;
        try (Nvml nvml = Nvml.open()) {
            driver = nvml.driverVersion();
            for (Nvml.Gpu gpu : nvml.gpus()) {
                if (gpus.stream().noneMatch(known -> known.uuid.equals(gpu.uuid()))) {
                    gpus.add(new FoundGpu(null, gpu.name(), gpu.uuid(), null, null, null));
                }
            }
        } catch (DeviceException e) {
            nvmlMissing = e.getMessage();
        }
        return new FoundDevices(
                missing,
                driver,
                cuda,
                gpus,
                nvmlMissing,
                System.getenv("CUDA_VISIBLE_DEVICES"),
                limit(firstMatch(Path.of("/proc/self/limits"), LOCKED)),
                numa);
    }

    private static @Nullable String firstMatch(Path file, Pattern pattern) {
        try {
            Matcher found = pattern.matcher(Files.exists(file) ? Files.readString(file) : "");
            return found.find() ? found.group(1) : null;
        } catch (IOException e) {
            LOG.info("{} cannot be read: {}", file, e.toString());
            return null;
        }
    }

    private static @Nullable Long limit(@Nullable String printed) {
        if (printed == null) {
            return null;
        }
        return printed.equals("unlimited") ? Long.valueOf(Long.MAX_VALUE) : Long.valueOf(printed);
    }
}

package io.millrace.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.figures.DeviceFigures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The use of the trainers' devices since the latest start of the job, which is {@code device_use} in {@code
 * summary.json}. With several trainers, figures are sums, but shares and watts are means. Unknown values are null.
 *
 * @param description the description of the device for readers, for example "cuda:0 (NVIDIA H200)"
 * @param transferGigabytesPerSecond the throughput of the copies to the device, in 10^9 bytes per second
 * @param copyOverlap the share of the copies' time in which the engine worked, 0 to 1
 * @param engineMillis the time in which the engine worked on batches
 * @param copyWaitMillis the time in which the engine had finished all earlier work and waited for the copies of a batch
 * @param slotWaitMillis the time in which rows waited for the memory of a batch, because all batches were in training
 * @param pageableBuffers the number of buffers for which no page-locked memory was free; null when page-locked memory
 *     is not used
 * @param memoryUsedBytes the largest observed use of the device's memory, by all processes
 * @param memoryTotalBytes the size of the device's memory
 * @param gpuUtilization the mean share of the time in which the GPU computed anything, 0 to 1
 * @param gpuWatts the mean power of the GPU
 * @param memoryFormat the layout of images that training used: channels_last or contiguous
 * @param warnings the warnings about results that may differ from run to run, and about the NUMA node of the device; absent
 *     without any
 */
public record DeviceUseSummary(
        @JsonProperty("device") String description,
        @JsonProperty("transfer_gb_per_s") @Nullable Double transferGigabytesPerSecond,
        @JsonProperty("copy_overlap") @Nullable Double copyOverlap,
        @JsonProperty("engine_ms") double engineMillis,
        @JsonProperty("copy_wait_ms") double copyWaitMillis,
        @JsonProperty("slot_wait_ms") double slotWaitMillis,
        @JsonProperty("pageable_buffers") @Nullable Long pageableBuffers,
        @JsonProperty("memory_used_bytes") @Nullable Long memoryUsedBytes,
        @JsonProperty("memory_total_bytes") @Nullable Long memoryTotalBytes,
        @JsonProperty("gpu_utilization") @Nullable Double gpuUtilization,
        @JsonProperty("gpu_w") @Nullable Double gpuWatts,
        @JsonProperty("memory_format") @Nullable String memoryFormat,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> warnings) {
    private static final double NANOS_PER_MILLI = 1e6;

    public DeviceUseSummary {
        warnings = List.copyOf(warnings);
    }

    /** Returns the first sentence of the description, without the advice that follows when the device is not a GPU. */
    public String inShort() {
        return inShort(description);
    }

    /** Returns the first sentence of the description of a device. */
    public static String inShort(String description) {
        int end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end);
    }

    /** Returns the use of the devices as the trainers reported it. */
    static DeviceUseSummary of(DeviceFigures figures) {
        return new DeviceUseSummary(
                figures.description(),
                figures.transferGigabytesPerSecond(),
                figures.copyOverlap(),
                figures.use().engineNanos() / NANOS_PER_MILLI,
                figures.use().engineWaitNanos() / NANOS_PER_MILLI,
                figures.slotWaitNanos() / NANOS_PER_MILLI,
                figures.pageableBuffers(),
                figures.seen().mostMemoryUsedBytes(),
                figures.seen().memoryTotalBytes(),
                figures.seen().meanUtilization(),
                figures.seen().meanWatts(),
                figures.memoryFormat(),
                figures.warnings());
    }

    /** Returns the figures for readers, by name. A dash stands for an unknown value. */
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("copies to the device", format("%.2f GB/s", transferGigabytesPerSecond));
        facts.put("copies while the engine worked", percent(copyOverlap));
        facts.put("engine worked", format("%,.0f ms", engineMillis));
        facts.put("engine waited for copies", format("%,.0f ms", copyWaitMillis));
        facts.put("rows waited for a free batch", format("%,.0f ms", slotWaitMillis));
        facts.put("buffers without page-locked memory", format("%,d", pageableBuffers));
        facts.put("device memory", format("%,d bytes", memoryUsedBytes) + " of " + format("%,d", memoryTotalBytes));
        facts.put("GPU utilisation", percent(gpuUtilization));
        facts.put("GPU power", format("%.0f W", gpuWatts));
        facts.put("memory format", format("%s", memoryFormat));
        return facts;
    }

    private static String percent(@Nullable Double share) {
        return format("%.0f %%", share == null ? null : Double.valueOf(100 * share));
    }

    private static String format(String format, @Nullable Object value) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value);
    }
}

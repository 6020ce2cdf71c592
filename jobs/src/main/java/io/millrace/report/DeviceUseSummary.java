package io.millrace.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.DeviceFigures;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the trainers' devices were kept busy with, as {@code device_use} of {@code summary.json}: since the job was begun the
 * last time; sums over several trainers, shares and watts their means. Null is unknown.
 *
 * @param told for people, as "cuda:0 (NVIDIA H200)"
 * @param transferGigabytesPerSecond of the copies to the device, 10^9 bytes
 * @param copyOverlap which part of the copies' time passed while the engine worked, 0 to 1
 * @param engineMillis in which the engine worked on batches
 * @param copyWaitMillis in which the engine, done with all before, waited for a batch's copies
 * @param slotWaitMillis in which rows waited for memory of a batch, as all was in training
 * @param pageableBuffers buffers that found no page-locked memory; null where none is asked for
 * @param memoryUsedBytes the most of the device's memory that was seen taken, by all processes
 * @param gpuUtilization mean share of the time in which the GPU computed anything, 0 to 1
 * @param gpuWatts mean
 */
public record DeviceUseSummary(
        @JsonProperty("device") String told,
        @JsonProperty("transfer_gb_per_s") @Nullable Double transferGigabytesPerSecond,
        @JsonProperty("copy_overlap") @Nullable Double copyOverlap,
        @JsonProperty("engine_ms") double engineMillis,
        @JsonProperty("copy_wait_ms") double copyWaitMillis,
        @JsonProperty("slot_wait_ms") double slotWaitMillis,
        @JsonProperty("pageable_buffers") @Nullable Long pageableBuffers,
        @JsonProperty("memory_used_bytes") @Nullable Long memoryUsedBytes,
        @JsonProperty("memory_total_bytes") @Nullable Long memoryTotalBytes,
        @JsonProperty("gpu_utilization") @Nullable Double gpuUtilization,
        @JsonProperty("gpu_w") @Nullable Double gpuWatts) {
    private static final double NANOS_PER_MILLI = 1e6;

    /** Which device, in a line: of why it is no GPU the first sentence, without what to do about it. */
    public String inShort() {
        int end = told.indexOf(". ");
        return end < 0 ? told : told.substring(0, end);
    }

    /** As the trainers told. */
    static DeviceUseSummary of(DeviceFigures figures) {
        return new DeviceUseSummary(
                figures.told(),
                figures.transferGigabytesPerSecond(),
                figures.copyOverlap(),
                figures.use().engineNanos() / NANOS_PER_MILLI,
                figures.use().engineWaitNanos() / NANOS_PER_MILLI,
                figures.slotWaitNanos() / NANOS_PER_MILLI,
                figures.pageableBuffers(),
                figures.seen().mostMemoryUsedBytes(),
                figures.seen().memoryTotalBytes(),
                figures.seen().meanUtilization(),
                figures.seen().meanWatts());
    }

    /** For people, by name; what is not known is a dash. */
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("copies to the device", told("%.2f GB/s", transferGigabytesPerSecond));
        facts.put("copies while the engine worked", percent(copyOverlap));
        facts.put("engine worked", told("%,.0f ms", engineMillis));
        facts.put("engine waited for copies", told("%,.0f ms", copyWaitMillis));
        facts.put("rows waited for a free batch", told("%,.0f ms", slotWaitMillis));
        facts.put("buffers without page-locked memory", told("%,d", pageableBuffers));
        facts.put("device memory", told("%,d bytes", memoryUsedBytes) + " of " + told("%,d", memoryTotalBytes));
        facts.put("GPU utilisation", percent(gpuUtilization));
        facts.put("GPU power", told("%.0f W", gpuWatts));
        return facts;
    }

    private static String percent(@Nullable Double share) {
        return told("%.0f %%", share == null ? null : Double.valueOf(100 * share));
    }

    private static String told(String format, @Nullable Object value) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value);
    }
}

package io.millrace.sink.figures;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceWatch;
import io.millrace.device.HostDevice;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The use of a trainer's device in the latest attempt.
 *
 * @param kind {@code host}, {@code cuda} or {@code simulated}
 * @param description the device as messages name it, such as "cuda:0 (NVIDIA H200)"
 * @param engineVersion the version of PyTorch that trained on the device, such as "2.7.1"; null when PyTorch was not
 *     loaded
 * @param use the use of the device's streams
 * @param slotWaitNanos the time for which the task's thread waited for a free ring entry, because all batches were in
 *     training
 * @param pageableBuffers the number of micro-batch buffers that found no page-locked memory; null when page-locked
 *     memory is not used
 * @param seen the memory and the load of the device
 * @param memoryFormat the layout of images that training used, such as "channels_last"; null when PyTorch was not loaded
 * @param warnings the warnings about results that may differ from run to run, and about the NUMA node of the device
 */
public record DeviceFigures(
        String kind,
        @JsonProperty("told") String description,
        @Nullable String engineVersion,
        DeviceUse.Sums use,
        long slotWaitNanos,
        @Nullable Long pageableBuffers,
        DeviceWatch.Seen seen,
        @Nullable String memoryFormat,
        List<String> warnings)
        implements Serializable {
    public DeviceFigures {
        warnings = List.copyOf(warnings);
    }

    /** Returns whether the engine computed on the thread of the trainer, and not beside it. */
    boolean computedOnHost() {
        return kind.equals(HostDevice.NAME);
    }

    /** Returns the throughput of the copies that were timed, in 10^9 bytes per second; null when no copy was timed. */
    public @Nullable Double transferGigabytesPerSecond() {
        return use.copyNanos() == 0 ? null : Double.valueOf((double) use.copiedBytes() / use.copyNanos());
    }

    /** Returns the share of the copies' time, 0 to 1, during which the engine worked; null when no copy was timed. */
    public @Nullable Double copyOverlap() {
        return use.overlap();
    }

    /**
     * Combines the figures of all trainers: sums, the largest memory, and means of shares. Returns null when no figures
     * are known.
     *
     * @param all the figures of each trainer; null when they are not known
     */
    public static @Nullable DeviceFigures whole(Stream<@Nullable DeviceFigures> all) {
        List<DeviceFigures> known = all.flatMap(Stream::ofNullable).toList();
        if (known.isEmpty()) {
            return null;
        }
        return new DeviceFigures(
                known.get(0).kind,
                distinct(known.stream().map(DeviceFigures::description)),
                known.stream().allMatch(f -> f.engineVersion == null)
                        ? null
                        : distinct(known.stream().flatMap(f -> Stream.ofNullable(f.engineVersion))),
                new DeviceUse.Sums(
                        sum(known, f -> f.use.copiedBytes()),
                        sum(known, f -> f.use.copyNanos()),
                        sum(known, f -> f.use.hiddenNanos()),
                        sum(known, f -> f.use.engineNanos()),
                        sum(known, f -> f.use.engineWaitNanos())),
                sum(known, DeviceFigures::slotWaitNanos),
                known.stream()
                        .map(DeviceFigures::pageableBuffers)
                        .filter(Objects::nonNull)
                        .reduce(Long::sum)
                        .orElse(null),
                new DeviceWatch.Seen(
                        folded(known, DeviceWatch.Seen::memoryUsedBytes, Math::max),
                        folded(known, DeviceWatch.Seen::mostMemoryUsedBytes, Math::max),
                        folded(known, DeviceWatch.Seen::memoryTotalBytes, Math::max),
                        mean(known, DeviceWatch.Seen::utilization),
                        mean(known, DeviceWatch.Seen::meanUtilization),
                        mean(known, DeviceWatch.Seen::watts),
                        mean(known, DeviceWatch.Seen::meanWatts)),
                known.stream().allMatch(f -> f.memoryFormat == null)
                        ? null
                        : distinct(known.stream().flatMap(f -> Stream.ofNullable(f.memoryFormat))),
                known.stream().flatMap(f -> f.warnings().stream()).distinct().toList());
    }

    private static String distinct(Stream<String> all) {
        return all.distinct().collect(Collectors.joining(", "));
    }

    private static long sum(List<DeviceFigures> all, ToLongFunction<DeviceFigures> value) {
        return all.stream().mapToLong(value).sum();
    }

    private static <T> @Nullable T folded(
            List<DeviceFigures> all, Function<DeviceWatch.Seen, @Nullable T> value, BinaryOperator<T> by) {
        return all.stream()
                .flatMap(f -> Stream.ofNullable(value.apply(f.seen)))
                .reduce(by)
                .orElse(null);
    }

    private static @Nullable Double mean(List<DeviceFigures> all, Function<DeviceWatch.Seen, @Nullable Double> value) {
        List<Double> known = all.stream()
                .flatMap(f -> Stream.ofNullable(value.apply(f.seen)))
                .toList();
        return known.isEmpty()
                ? null
                : Double.valueOf(
                        known.stream().mapToDouble(each -> each).average().orElseThrow());
    }
}

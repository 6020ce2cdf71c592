package io.millrace.config;

import io.millrace.device.SimulatedLink;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is made slower than it is, to rehearse what another machine would do.
 *
 * @param device the way of whole batches to the device; empty: as fast as it is
 * @param network the way of packed rows to the trainer; empty: as fast as it is
 * @param step what a training step takes at least; zero: as fast as it is
 */
public record SimulatedConfig(Optional<SimulatedLink> device, Optional<SimulatedLink> network, Duration step) {
    /** Nothing is simulated. */
    public static final SimulatedConfig NONE = new SimulatedConfig(Optional.empty(), Optional.empty(), Duration.ZERO);

    private static final OptionType<Long> RATE = OptionType.of("bytes per second, as 200MB/s", raw -> {
        if (raw instanceof String text && text.endsWith("/s")) {
            long bytes = OptionType.BYTES.parse(text.substring(0, text.length() - 2));
            if (bytes > 0) {
                return bytes;
            }
        }
        throw OptionType.expected("bytes per second, as 200MB/s, more than nothing", raw);
    });

    static final Option<Long> BANDWIDTH = Option.of(
                    "simulated_bandwidth",
                    RATE,
                    "For experiments: batches come to the device, and checkpoints from it, no faster than this, as over a slower bus.")
            .optional();
    static final Option<TimeSpan> LATENCY = Option.of(
                    "simulated_latency",
                    TimeSpan.between(new TimeSpan(Duration.ZERO), new TimeSpan(Duration.ofMinutes(1))),
                    "For experiments: each batch takes so much longer to the device.")
            .optional();
    static final Option<Long> NETWORK = Option.of(
                    "simulated_network",
                    RATE,
                    "For experiments: packed rows come to the trainer no faster than this, as over a slower network.")
            .optional();
    static final Option<TimeSpan> STEP = Option.of(
                    "simulated_step",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofMinutes(1))),
                    "For experiments: a training step takes at least so long, without a core, as on a device of its own.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(BANDWIDTH, LATENCY, NETWORK, STEP);

    static SimulatedConfig read(Section section) {
        Optional<Long> bandwidth = section.find(BANDWIDTH);
        Optional<Duration> latency = section.find(LATENCY).map(TimeSpan::duration);
        Optional<SimulatedLink> device = bandwidth.isEmpty() && latency.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new SimulatedLink(bandwidth.orElse(SimulatedLink.UNLIMITED), latency.orElse(Duration.ZERO)));
        return new SimulatedConfig(
                device,
                section.find(NETWORK).map(rate -> new SimulatedLink(rate, Duration.ZERO)),
                section.find(STEP).map(TimeSpan::duration).orElse(Duration.ZERO));
    }

    /** As a pipeline file has it. */
    Map<String, Object> written() {
        Map<String, Object> written = new LinkedHashMap<>();
        device.filter(link -> link.bytesPerSecond() != SimulatedLink.UNLIMITED)
                .ifPresent(link -> written.put(BANDWIDTH.key(), link.bytesPerSecond() + "B/s"));
        device.filter(link -> !link.latency().isZero())
                .ifPresent(link -> written.put(LATENCY.key(), new TimeSpan(link.latency()).toString()));
        network.ifPresent(link -> written.put(NETWORK.key(), link.bytesPerSecond() + "B/s"));
        if (!step.isZero()) {
            written.put(STEP.key(), new TimeSpan(step).toString());
        }
        return written;
    }
}

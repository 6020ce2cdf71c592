package io.millrace.config;

import io.millrace.device.SimulatedLink;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The simulation of a slower device or network, to rehearse a run on another machine. Its keys are in the section
 * {@code device}.
 *
 * @param device the simulated link of batches to the device; empty for none
 * @param network the simulated link of micro-batches to the trainer; empty for none
 * @param step the least time of a training step; zero for none
 * @param asynchronous whether the device works beside the trainer's thread
 */
public record SimulatedConfig(
        Optional<SimulatedLink> device, Optional<SimulatedLink> network, Duration step, boolean asynchronous) {
    /** Nothing is simulated. */
    public static final SimulatedConfig NONE =
            new SimulatedConfig(Optional.empty(), Optional.empty(), Duration.ZERO, false);

    private static final OptionType<Long> RATE = OptionType.of("bytes per second, as 200MB/s", raw -> {
        if (raw instanceof String text && text.endsWith("/s")) {
            long bytes = OptionType.BYTES.parse(text.substring(0, text.length() - 2));
            if (bytes > 0) {
                return bytes;
            }
        }
        throw OptionType.expected("bytes per second, as 200MB/s, above 0", raw);
    });

    static final Option<Long> BANDWIDTH = Option.of(
                    "simulated_bandwidth",
                    RATE,
                    "For experiments: the highest speed of batches to the device and of checkpoints from it, which simulates a slower bus.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<TimeSpan> LATENCY = Option.of(
                    "simulated_latency",
                    TimeSpan.between(new TimeSpan(Duration.ZERO), new TimeSpan(Duration.ofMinutes(1))),
                    "For experiments: the time that is added to the transfer of each batch to the device.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Long> NETWORK = Option.of(
                    "simulated_network",
                    RATE,
                    "For experiments: the highest speed of micro-batches to the trainer, which simulates a slower network.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<TimeSpan> STEP = Option.of(
                    "simulated_step",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofMinutes(1))),
                    "For experiments: the minimum time of a training step. During this time the step waits without"
                            + " using a CPU core, as with a separate device.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<Boolean> ASYNCHRONOUS = Option.of(
                    "simulated_asynchronous",
                    OptionType.BOOLEAN,
                    "For experiments: whether batches are copied and trained on beside the trainer's thread, as on a GPU."
                            + " simulated_step is then also the least time of an evaluation batch, and simulated_latency is"
                            + " added to each copy.")
            .orElse(false)
            .decides(Identity.NOTHING);
    static final List<Option<?>> OPTIONS = List.of(BANDWIDTH, LATENCY, NETWORK, STEP, ASYNCHRONOUS);

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
                section.find(STEP).map(TimeSpan::duration).orElse(Duration.ZERO),
                section.get(ASYNCHRONOUS));
    }

    void write(WrittenConfig section) {
        section.put(
                        BANDWIDTH,
                        device.map(SimulatedLink::bytesPerSecond)
                                .filter(rate -> rate != SimulatedLink.UNLIMITED)
                                .map(SimulatedConfig::written))
                .put(LATENCY, device.map(SimulatedLink::latency).filter(latency -> !latency.isZero()))
                .put(NETWORK, network.map(link -> written(link.bytesPerSecond())))
                .put(STEP, Optional.of(step).filter(least -> !least.isZero()))
                .put(ASYNCHRONOUS, Optional.of(asynchronous).filter(Boolean::booleanValue));
    }

    private static String written(long bytesPerSecond) {
        return bytesPerSecond + "B/s";
    }

    /** Returns whether a simulation takes the place of the device that trains. */
    public boolean replacesDevice() {
        return !replacing().isEmpty();
    }

    /** Returns the keys that are set whose simulation takes the place of the device that trains. */
    List<String> replacing() {
        List<String> keys = new ArrayList<>();
        device.ifPresent(link -> {
            if (link.bytesPerSecond() != SimulatedLink.UNLIMITED) {
                keys.add(BANDWIDTH.key());
            }
            if (!link.latency().isZero() || keys.isEmpty()) {
                keys.add(LATENCY.key());
            }
        });
        if (!step.isZero()) {
            keys.add(STEP.key());
        }
        if (asynchronous) {
            keys.add(ASYNCHRONOUS.key());
        }
        return keys;
    }
}

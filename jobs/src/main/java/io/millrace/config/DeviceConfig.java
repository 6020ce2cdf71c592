package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.TrainSpec.MemoryFormat;
import io.millrace.train.TrainSpec.Part;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where training runs and what is done to batches there.
 *
 * @param transforms applied to the image column in order
 * @param simulated what is made slower than it is
 */
public record DeviceConfig(Kind kind, List<Part> transforms, MemoryFormat memoryFormat, SimulatedConfig simulated) {
    /** Which device. */
    public enum Kind {
        /** A GPU where there is one, else the host; says what it chose. */
        AUTO,
        /** A GPU, or an error that says what was looked for. */
        CUDA,
        /** The processor and its memory. */
        HOST
    }

    static final Option<Kind> KIND = Option.of(
                    "kind", OptionType.choice(Kind.class), "Where training runs; auto takes a GPU where there is one.")
            .orElse(Kind.AUTO);
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms",
                    Types.structure("list of device transforms"),
                    "What is done to each batch on the device, in order.")
            .optional();
    static final Option<MemoryFormat> MEMORY_FORMAT = Option.of(
                    "memory_format",
                    OptionType.choice(MemoryFormat.class),
                    "How images lie in memory; channels_last makes convolutions faster.")
            .orElse(MemoryFormat.CHANNELS_LAST);
    static final List<Option<?>> OPTIONS = Stream.concat(
                    Stream.of(KIND, TRANSFORMS, MEMORY_FORMAT), SimulatedConfig.OPTIONS.stream())
            .toList();

    public DeviceConfig {
        transforms = List.copyOf(transforms);
    }

    /** Where nothing is simulated. */
    public DeviceConfig(Kind kind, List<Part> transforms, MemoryFormat memoryFormat) {
        this(kind, transforms, memoryFormat, SimulatedConfig.NONE);
    }
}

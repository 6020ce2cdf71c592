package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.TrainSpec.MemoryFormat;
import io.millrace.train.TrainSpec.Part;
import java.util.List;

/**
 * Where training runs and what is done to batches there.
 *
 * @param transforms applied to the image column in order
 */
public record DeviceConfig(Kind kind, List<Part> transforms, MemoryFormat memoryFormat) {
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
    static final List<Option<?>> OPTIONS = List.of(KIND, TRANSFORMS, MEMORY_FORMAT);

    public DeviceConfig {
        transforms = List.copyOf(transforms);
    }
}

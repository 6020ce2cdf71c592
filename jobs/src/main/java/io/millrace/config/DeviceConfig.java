package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.TrainSpec.Kernels;
import io.millrace.train.spec.TrainSpec.MemoryFormat;
import io.millrace.train.spec.TrainSpec.Part;
import io.millrace.train.spec.TrainSpec.Precision;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where training runs and what is done to batches there.
 *
 * @param transforms applied to the image column in order
 * @param precision what layers compute in
 * @param kernels which of those that a GPU has
 * @param batchesInFlight batches in the device's memory at a time, filled, sent or trained on; at least 2
 * @param gpu which, where it is one
 * @param simulated what is made slower than it is
 * @param placed what is done before {@code transforms}
 */
public record DeviceConfig(
        Kind kind,
        List<Part> transforms,
        MemoryFormat memoryFormat,
        Precision precision,
        Kernels kernels,
        int batchesInFlight,
        GpuConfig gpu,
        SimulatedConfig simulated,
        PlacedTransforms placed) {
    /** One batch being filled, one in training, and two between, so that neither side waits for a short delay. */
    static final int DEFAULT_BATCHES_IN_FLIGHT = 4;

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
                    "kind",
                    OptionType.choice(Kind.class),
                    "Where training runs; auto takes a GPU where the trainer finds one that the engine can use, and the log says why not.")
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
    static final Option<Precision> PRECISION = Option.of(
                    "precision",
                    OptionType.choice(Precision.class),
                    "What layers compute in: bfloat16 is PyTorch's autocast, tf32 is for CUDA devices alone; parameters,"
                            + " gradients and losses stay float32.")
            .orElse(Precision.FLOAT32);
    static final Option<Boolean> DETERMINISTIC = Option.of(
                    "deterministic",
                    OptionType.BOOLEAN,
                    "On CUDA devices: take kernels that give the same results each time, which may be slower. On the host they do"
                            + " always.")
            .orElse(false);
    static final Option<Integer> BATCHES_IN_FLIGHT = Option.of(
                    "batches_in_flight",
                    Types.between(2, 1024),
                    "Batches in the device's memory at a time, filled, sent or trained on: more of them hide longer delays and"
                            + " take more memory.")
            .orElse(DEFAULT_BATCHES_IN_FLIGHT);
    static final List<Option<?>> OPTIONS = Stream.of(
                    List.of(KIND, TRANSFORMS, MEMORY_FORMAT, PRECISION, DETERMINISTIC, BATCHES_IN_FLIGHT),
                    GpuConfig.OPTIONS,
                    SimulatedConfig.OPTIONS)
            .<Option<?>>flatMap(List::stream)
            .toList();

    public DeviceConfig {
        transforms = List.copyOf(transforms);
    }

    /** As the file says, before it is decided what is done where. */
    public DeviceConfig(
            Kind kind,
            List<Part> transforms,
            MemoryFormat memoryFormat,
            Precision precision,
            Kernels kernels,
            int batchesInFlight,
            GpuConfig gpu,
            SimulatedConfig simulated) {
        this(
                kind,
                transforms,
                memoryFormat,
                precision,
                kernels,
                batchesInFlight,
                gpu,
                simulated,
                PlacedTransforms.NONE);
    }

    /** The same once that is decided. */
    DeviceConfig placed(List<Part> others, PlacedTransforms decided) {
        return new DeviceConfig(
                kind, others, memoryFormat, precision, kernels, batchesInFlight, gpu, simulated, decided);
    }

    /** In float32 by the fastest kernels, where nothing is simulated. */
    public DeviceConfig(Kind kind, List<Part> transforms, MemoryFormat memoryFormat) {
        this(
                kind,
                transforms,
                memoryFormat,
                Precision.FLOAT32,
                Kernels.FASTEST,
                DEFAULT_BATCHES_IN_FLIGHT,
                GpuConfig.DEFAULT,
                SimulatedConfig.NONE);
    }
}

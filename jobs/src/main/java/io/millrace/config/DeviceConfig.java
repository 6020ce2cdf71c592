package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Precision;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The device of a training step, and the transforms of batches there.
 *
 * @param batchesInFlight the number of batches in the device's memory, in any state; at least 2
 * @param gpu the choice of a GPU and its page-locked memory
 * @param simulated the simulation of a slower device or network
 * @param transforms the transforms of each batch, in order
 * @param placed the transforms of samples that run on the device before {@code transforms}
 */
public record DeviceConfig(
        Kind kind,
        ComputeConfig compute,
        int batchesInFlight,
        GpuConfig gpu,
        SimulatedConfig simulated,
        List<Component> transforms,
        PlacedTransforms placed)
        implements PipelineConfig.Part {
    /**
     * One batch is being filled, one is in training, and two batches between them absorb short delays on either side.
     */
    static final int DEFAULT_BATCHES_IN_FLIGHT = 4;

    /** The kinds of devices. */
    public enum Kind {
        /** A GPU if there is one, otherwise the host. The summary names the choice. */
        AUTO,
        /** A GPU. Without one the run fails, and the message lists what was searched. */
        CUDA,
        /** The CPU and its memory. */
        HOST
    }

    static final Option<Object> SECTION = Option.of(
                    "device",
                    Types.structure("section"),
                    "The device that trains, and the transforms of whole batches.")
            .optional();
    static final Option<Kind> KIND = Option.of(
                    "kind",
                    OptionType.choice(Kind.class),
                    "The device that trains. auto uses a GPU if the trainer finds one that the engine supports; otherwise the"
                            + " summary gives the reason.")
            .orElse(Kind.AUTO)
            .decides(Identity.NOTHING);
    static final Option<Object> TRANSFORMS = Option.of(
                    "transforms",
                    Types.structure("list of device transforms"),
                    "The transforms of each batch on the device, in order.")
            .optional()
            .decides(Identity.BATCHES);
    static final Option<Integer> BATCHES_IN_FLIGHT = Option.of(
                    "batches_in_flight",
                    Types.between(2, 1024),
                    "The number of batches in the device's memory at a time, whether they are being filled, are waiting"
                            + " or are being trained on. More batches hide longer delays and need more memory.")
            .orElse(DEFAULT_BATCHES_IN_FLIGHT)
            .decides(Identity.NOTHING);
    static final List<Option<?>> OPTIONS = Stream.of(
                    List.of(KIND, TRANSFORMS),
                    ComputeConfig.KEYS.options(),
                    List.of(BATCHES_IN_FLIGHT),
                    GpuConfig.KEYS.options(),
                    SimulatedConfig.OPTIONS)
            .<Option<?>>flatMap(List::stream)
            .toList();

    public DeviceConfig {
        transforms = List.copyOf(transforms);
    }

    /** Reads the section; empty when a problem was reported with its transforms. */
    static Optional<DeviceConfig> read(Section section) {
        Optional<List<Component>> transforms = section.transforms(
                TRANSFORMS, "device transform", section.catalogs().deviceTransforms());
        Kind kind = section.get(KIND);
        ComputeConfig compute = ComputeConfig.KEYS.read(section);
        SimulatedConfig simulated = SimulatedConfig.read(section);
        boolean onHost = kind == Kind.HOST || simulated.replacesDevice();
        if (onHost && compute.precision() == Precision.TF32) {
            section.report(
                    ComputeConfig.PRECISION,
                    "only CUDA devices multiply in tf32: expected float32 or bfloat16 with "
                            + (kind == Kind.HOST ? "kind: host" : String.join(", ", simulated.replacing())));
        }
        if (kind == Kind.CUDA && simulated.replacesDevice()) {
            section.report(
                    KIND,
                    "simulated_bandwidth, simulated_latency, simulated_step and simulated_asynchronous train on the host:"
                            + " expected auto or host, found cuda");
        }
        GpuConfig gpu = GpuConfig.KEYS.read(section);
        if (kind == Kind.AUTO && simulated.replacesDevice()) {
            gpu.rejectWithoutGpu(section);
        }
        return transforms.map(list -> new DeviceConfig(
                kind, compute, section.get(BATCHES_IN_FLIGHT), gpu, simulated, list, PlacedTransforms.NONE));
    }

    void write(WrittenConfig section) {
        section.put(KIND, kind);
        ComputeConfig.KEYS.write(compute, section);
        section.put(BATCHES_IN_FLIGHT, batchesInFlight).put(TRANSFORMS, transforms);
        GpuConfig.KEYS.write(gpu, section);
        simulated.write(section);
    }

    /** Returns the same device with other transforms of batches. */
    public DeviceConfig withTransforms(List<Component> others) {
        return placed(others, placed);
    }

    /** Returns the same device with the transforms that have been placed on it. */
    DeviceConfig placed(List<Component> others, PlacedTransforms decided) {
        return new DeviceConfig(kind, compute, batchesInFlight, gpu, simulated, others, decided);
    }
}

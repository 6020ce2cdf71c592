package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Precision;

/**
 * The numbers and kernels that layers compute with. Its keys are in the section {@code device}.
 *
 * @param memoryFormat the layout of images in the device's memory
 * @param deterministic whether a GPU uses kernels that return the same results each time
 * @param cudnnBenchmark whether cuDNN measures its kernels, unless {@code deterministic} is set
 */
public record ComputeConfig(
        MemoryFormat memoryFormat, Precision precision, boolean deterministic, boolean cudnnBenchmark) {
    /** The defaults of the keys. */
    public static final ComputeConfig DEFAULT = new ComputeConfig(MemoryFormat.AUTO, Precision.FLOAT32, false, false);

    static final Option<MemoryFormat> MEMORY_FORMAT = Option.of(
                    "memory_format",
                    OptionType.choice(MemoryFormat.class),
                    "The layout of images in memory. auto is contiguous on CUDA devices in float32, and channels_last everywhere"
                            + " else, as convolutions are faster then; device_use in the summary has the choice.")
            .orElse(DEFAULT.memoryFormat)
            .decides(Identity.NOTHING);
    static final Option<Precision> PRECISION = Option.of(
                    "precision",
                    OptionType.choice(Precision.class),
                    "The numbers that layers compute in: bfloat16 is PyTorch's autocast, tf32 is for CUDA devices only;"
                            + " parameters, gradients and losses stay float32.")
            .orElse(DEFAULT.precision)
            .decides(Identity.NOTHING);
    static final Option<Boolean> DETERMINISTIC = Option.of(
                    "deterministic",
                    OptionType.BOOLEAN,
                    "On CUDA devices: use kernels that return the same results each time, which may be slower. On the"
                            + " host, kernels always return the same results.")
            .orElse(false)
            .decides(Identity.NOTHING);
    static final Option<Boolean> CUDNN_BENCHMARK = Option.of(
                    "cudnn_benchmark",
                    OptionType.BOOLEAN,
                    "On CUDA devices: cuDNN measures which kernel is fastest for each shape of a convolution, which makes the"
                            + " first steps slower. With deterministic it stays off.")
            .orElse(false)
            .decides(Identity.NOTHING);
    static final Bound<ComputeConfig> KEYS = Bound.of(ComputeConfig.class);

    /** Returns the kernels that a GPU uses where it has several. */
    public GpuKernels kernels() {
        if (deterministic) {
            return GpuKernels.REPRODUCIBLE;
        }
        return cudnnBenchmark ? GpuKernels.MEASURED : GpuKernels.FASTEST;
    }
}

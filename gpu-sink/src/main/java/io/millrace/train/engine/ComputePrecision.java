package io.millrace.train.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The precision and the kernels with which one trainer's network computes on the trainer's thread; see {@link Precision} and
 * {@link GpuKernels}.
 */
public final class ComputePrecision implements AutoCloseable {
    private final @Nullable Autocast autocast;
    private final @Nullable CudaSettings settings;

    private ComputePrecision(@Nullable Autocast autocast, @Nullable CudaSettings settings) {
        this.autocast = autocast;
        this.settings = settings;
    }

    /**
     * Sets the precision for a trainer on the manager's device. The manager owns the arrays of this object.
     *
     * @throws TrainSpecException when the device or this libtorch does not support the precision
     */
    public static ComputePrecision open(Tuning tuning, PtNDManager manager) {
        Precision precision = tuning.precision();
        boolean cuda = manager.getDevice().isGpu();
        if (precision == Precision.TF32 && !cuda) {
            throw new TrainSpecException(
                    "device.precision tf32 is only available on CUDA devices, and training runs on the host"
                            + ": expected float32 or bfloat16");
        }
        Autocast autocast = precision == Precision.BFLOAT16 ? new Autocast(manager) : null;
        return new ComputePrecision(autocast, cuda ? new CudaSettings(precision, tuning.kernels()) : null);
    }

    /**
     * Runs a network.
     *
     * @return the network's outputs, float32
     */
    public PtNDArray compute(Supplier<PtNDArray> network) {
        return autocast == null ? network.get() : autocast.compute(network);
    }

    @Override
    public void close() {
        if (settings != null) {
            settings.close();
        }
    }
}

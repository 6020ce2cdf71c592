package io.millrace.train.engine;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.lifecycle.Handles;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of PyTorch that hold for all GPU work of a process. A setting that one trainer requests therefore
 * applies to all trainers on GPUs in the process. An instance is open as long as its trainer. When the last instance
 * closes, PyTorch's defaults are restored.
 *
 * <ul>
 * <li>While a trainer requests it, matrix products and convolutions may round their inputs to 11 bits, which is several
 *     times faster on newer GPUs. Otherwise no inputs are rounded. PyTorch's own default rounds the inputs of
 *     convolutions.
 * <li>While a trainer requests it and none requests reproducible results, cuDNN measures which kernel is fastest for each
 *     shape of a convolution.
 * <li>While a trainer requests it, operations use kernels that always sum in the same order, if such kernels exist. For
 *     cuBLAS, this also requires {@link #WORKSPACE} in the environment of the process. PyTorch creates the handle of cuBLAS
 *     in the first matrix product of the process. PyTorch and cuBLAS read the variable at that time, so a trainer sets the
 *     variable when the trainer opens. PyTorch warns about an operation without such a kernel each time that it computes, at
 *     its own log level (see {@link TrainingRuntime}).
 * </ul>
 *
 * <p>This class never reads the settings, because since libtorch 2.9 a getter throws if other code has used the newer
 * names of the same settings.
 */
public final class CudaSettings implements AutoCloseable {
    /** The variable that determines the memory of cuBLAS, and with it which kernels it uses. */
    static final String WORKSPACE = "CUBLAS_WORKSPACE_CONFIG";

    /** The larger of the two values with which results are reproducible: 8 buffers of 4 MiB. */
    static final String REPRODUCIBLE_WORKSPACE = ":4096:8";

    private static final Set<String> REPRODUCIBLE_WORKSPACES = Set.of(REPRODUCIBLE_WORKSPACE, ":16:8");

    private static final Logger LOG = LoggerFactory.getLogger(CudaSettings.class);

    /** The warnings for {@link #warnings}, in the order of their first appearance. Guarded by this class. */
    private static final Set<String> WARNINGS = new LinkedHashSet<>();

    /**
     * The number of open trainers on GPUs in this process. Guarded by this class, because trainers open and close on their
     * own threads.
     */
    private static int trainers;

    /** Whether a trainer of this process may have used cuBLAS with other memory. */
    private static boolean usedOtherWorkspace;

    /** The number of open trainers that request rounding. */
    private static int rounding;

    /** The number of open trainers that request reproducible kernels. */
    private static int reproducing;

    /** The number of open trainers that request measured kernels. */
    private static int measuring;

    private final boolean rounds;
    private final boolean measures;
    private final boolean reproduces;
    private boolean open = true;

    /**
     * Applies the settings of a trainer on a GPU.
     *
     * @throws TrainSpecException when this libtorch lacks a function; the settings are as before then
     */
    CudaSettings(Precision precision, GpuKernels kernels) {
        rounds = precision == Precision.TF32;
        measures = kernels == GpuKernels.MEASURED;
        reproduces = kernels == GpuKernels.REPRODUCIBLE;
        synchronized (CudaSettings.class) {
            count(1);
            try {
                prepareWorkspace();
            } catch (RuntimeException | Error e) {
                Handles.closeAfter(e, this);
                throw e;
            }
        }
    }

    /**
     * Returns the reasons why results may differ from run to run although trainers of this process request reproducible
     * results; those since the first of them opened. Any thread may call this method.
     */
    public static synchronized List<String> warnings() {
        return List.copyOf(WARNINGS);
    }

    /** Adds a warning, and logs it if it is new. The caller holds the lock of this class. */
    private static void warn(String reason) {
        String warning = "results may differ from run to run: " + reason;
        if (WARNINGS.add(warning)) {
            LOG.warn("device.deterministic: {}", warning);
        }
    }

    /** Sets the memory of cuBLAS for reproducible results, or reports why results may differ all the same. */
    private void prepareWorkspace() {
        if (!NativeEnvironment.isKnown()) {
            return;
        }
        if (!reproduces) {
            usedOtherWorkspace |= !isReproducible(NativeEnvironment.get(WORKSPACE));
            return;
        }
        if (reproducing == 1) {
            WARNINGS.clear();
        }
        NativeEnvironment.setDefault(WORKSPACE, REPRODUCIBLE_WORKSPACE);
        String workspace = NativeEnvironment.get(WORKSPACE);
        if (!isReproducible(workspace)) {
            warn("the environment sets " + WORKSPACE + "=" + workspace
                    + ", and cuBLAS is reproducible with :4096:8 or :16:8. Remove the variable");
        } else if (usedOtherWorkspace) {
            warn(
                    "an earlier training in this process did not set deterministic, and cuBLAS keeps its memory. Start a new TaskManager, or set "
                            + WORKSPACE + "=" + REPRODUCIBLE_WORKSPACE + " in its environment");
        }
    }

    private static boolean isReproducible(@Nullable String workspace) {
        return workspace != null && REPRODUCIBLE_WORKSPACES.contains(workspace);
    }

    /** Counts this trainer and applies the settings. */
    private void count(int more) {
        Function context = Libtorch.GLOBAL_CONTEXT.function();
        Function roundProducts = Libtorch.ROUND_PRODUCTS.function();
        Function roundConvolutions = Libtorch.ROUND_CONVOLUTIONS.function();
        Function measureConvolutions = Libtorch.MEASURE_CONVOLUTIONS.function();
        Function convolutions = Libtorch.REPRODUCE_CONVOLUTIONS.function();
        Function others = Libtorch.REPRODUCE_OTHERS.function();
        Function fill = Libtorch.FILL_NEW_MEMORY.function();
        trainers += more;
        rounding += rounds ? more : 0;
        measuring += measures ? more : 0;
        reproducing += reproduces ? more : 0;
        Pointer settings = context.invokePointer(new Object[0]);
        byte same = Libtorch.bool(reproducing > 0);
        roundProducts.invokeVoid(new Object[] {settings, Libtorch.bool(rounding > 0)});
        roundConvolutions.invokeVoid(new Object[] {settings, Libtorch.bool(rounding > 0 || trainers == 0)});
        measureConvolutions.invokeVoid(new Object[] {settings, Libtorch.bool(measuring > 0 && reproducing == 0)});
        convolutions.invokeVoid(new Object[] {settings, same});
        // An operation without a reproducible kernel logs a warning and does not fail.
        others.invokeVoid(new Object[] {settings, same, same});
        // In this mode, PyTorch's default is to fill each new tensor. That costs time, and it could overwrite data that
        // another stream copies to the tensor.
        fill.invokeVoid(new Object[] {settings, Libtorch.bool(reproducing == 0)});
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            synchronized (CudaSettings.class) {
                count(-1);
            }
        }
    }
}

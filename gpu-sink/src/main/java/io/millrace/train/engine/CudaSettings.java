package io.millrace.train.engine;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.train.spec.Kernels;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;

/**
 * The settings of PyTorch that hold for all GPU work of a process. A setting that one trainer requests therefore
 * applies to all trainers on GPUs in the process. An instance is open as long as its trainer. When the last instance
 * closes, PyTorch's defaults are restored.
 *
 * <ul>
 * <li>While a trainer requests it, matrix products and convolutions may round their inputs to 11 bits, which is several
 *     times faster on newer GPUs. Otherwise no inputs are rounded. PyTorch's own default rounds the inputs of
 *     convolutions.
 * <li>While a trainer requests it, operations use kernels that always sum in the same order, if such kernels exist.
 * </ul>
 *
 * <p>This class never reads the settings, because since libtorch 2.9 a getter throws if other code has used the newer
 * names of the same settings.
 */
final class CudaSettings implements AutoCloseable {
    /**
     * The number of open trainers on GPUs in this process. Guarded by this class, because trainers open and close on their
     * own threads.
     */
    private static int trainers;

    /** The number of open trainers that request rounding. */
    private static int rounding;

    /** The number of open trainers that request reproducible kernels. */
    private static int reproducing;

    private final boolean rounds;
    private final boolean reproduces;
    private boolean open = true;

    /**
     * Applies the settings of a trainer on a GPU.
     *
     * @throws TrainSpecException when this libtorch lacks a function; nothing is changed then
     */
    CudaSettings(Precision precision, Kernels kernels) {
        rounds = precision == Precision.TF32;
        reproduces = kernels == Kernels.REPRODUCIBLE;
        count(1, rounds, reproduces);
    }

    private static synchronized void count(int more, boolean rounds, boolean reproduces) {
        Function context = Libtorch.GLOBAL_CONTEXT.function();
        Function roundProducts = Libtorch.ROUND_PRODUCTS.function();
        Function roundConvolutions = Libtorch.ROUND_CONVOLUTIONS.function();
        Function convolutions = Libtorch.REPRODUCE_CONVOLUTIONS.function();
        Function others = Libtorch.REPRODUCE_OTHERS.function();
        Function fill = Libtorch.FILL_NEW_MEMORY.function();
        trainers += more;
        rounding += rounds ? more : 0;
        reproducing += reproduces ? more : 0;
        Pointer settings = context.invokePointer(new Object[0]);
        byte same = Libtorch.bool(reproducing > 0);
        roundProducts.invokeVoid(new Object[] {settings, Libtorch.bool(rounding > 0)});
        roundConvolutions.invokeVoid(new Object[] {settings, Libtorch.bool(rounding > 0 || trainers == 0)});
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
            count(-1, rounds, reproduces);
        }
    }
}

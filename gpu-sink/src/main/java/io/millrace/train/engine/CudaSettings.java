package io.millrace.train.engine;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.train.spec.Kernels;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;

/**
 * The settings of PyTorch that hold for all GPU work of a process. All trainers on GPUs in one process therefore compute
 * alike: as soon as one of them requests a setting, it holds for all. An instance is open as long as its trainer; when the
 * last one closes, PyTorch's defaults return.
 *
 * <ul>
 * <li>Matrix products and convolutions may round their inputs to 11 bits while a trainer requests it, which is several times
 *     faster on newer GPUs. Otherwise they are exact, convolutions too, which PyTorch's default rounds.
 * <li>Kernels that sum in the same order each time are used, where there are such, while a trainer requests them.
 * </ul>
 *
 * <p>The settings are never read: since libtorch 2.9 a getter throws if anyone has used the newer names of the same
 * settings.
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
        // An operation without such a kernel warns instead of failing.
        others.invokeVoid(new Object[] {settings, same, same});
        // Otherwise PyTorch would write to each new tensor. That costs time, and it could overwrite data that another
        // stream
        // copies to the tensor.
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

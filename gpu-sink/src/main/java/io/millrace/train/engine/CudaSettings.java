package io.millrace.train.engine;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.train.spec.Kernels;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;

/**
 * What PyTorch has one setting of for all that a process computes on GPUs, so trainers beside each other compute alike: as
 * those want that ask for something. Open while a trainer on a GPU is; PyTorch's defaults come back with the last one.
 *
 * <ul>
 *   <li>Matrix products and convolutions may round what they take to 11 bits, which newer GPUs do several times faster, while a
 *       trainer asks for that. Without any they are exact, convolutions too (PyTorch's own default rounds these).
 *   <li>Kernels that add up in the same order each time are taken, where there are such, while a trainer asks for them.
 * </ul>
 *
 * <p>The settings are never asked for: since libtorch 2.9 a getter throws where somebody used the newer names of the same
 * settings.
 */
final class CudaSettings implements AutoCloseable {
    /** Trainers in this process that are open. Guarded by this class: they open and close on threads of their own. */
    private static int trainers;

    /** Those of them that ask for rounding. */
    private static int rounding;

    /** Those of them that ask for reproducible kernels. */
    private static int reproducing;

    private final boolean rounds;
    private final boolean reproduces;
    private boolean open = true;

    /**
     * For a trainer on a GPU.
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
        // An operation that has no such kernel warns instead of failing.
        others.invokeVoid(new Object[] {settings, same, same});
        // Or each new tensor would be written to, which costs time, and for one that copies of other streams fill also
        // the copy.
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

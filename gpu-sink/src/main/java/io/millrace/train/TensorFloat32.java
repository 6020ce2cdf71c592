package io.millrace.train;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.train.TrainSpec.Precision;

/**
 * Whether CUDA's matrix products and convolutions may round what they take to 11 bits, which newer GPUs do several times
 * faster. PyTorch has one setting for the whole process, so trainers beside each other compute alike: rounded while one of
 * them asks for it. Without any it is exact, convolutions too (PyTorch's own default rounds these).
 *
 * <p>Open while a trainer on a GPU is; PyTorch's defaults come back with the last one. The settings are never asked for:
 * since libtorch 2.9 a getter throws where somebody used the newer names of the same settings.
 */
final class TensorFloat32 implements AutoCloseable {
    /** Trainers in this process that are open. Guarded by this class: they open and close on threads of their own. */
    private static int trainers;

    /** Those of them that ask for rounding. */
    private static int rounding;

    private final boolean rounds;
    private boolean open = true;

    /**
     * For a trainer on a GPU.
     *
     * @throws TrainSpecException when this libtorch lacks a function; nothing is changed then
     */
    TensorFloat32(Precision precision) {
        rounds = precision == Precision.TF32;
        count(1, rounds);
    }

    private static synchronized void count(int more, boolean rounds) {
        Function context = Libtorch.GLOBAL_CONTEXT.function();
        Function products = Libtorch.ROUND_PRODUCTS.function();
        Function convolutions = Libtorch.ROUND_CONVOLUTIONS.function();
        trainers += more;
        rounding += rounds ? more : 0;
        Pointer settings = context.invokePointer(new Object[0]);
        products.invokeVoid(new Object[] {settings, Libtorch.bool(rounding > 0)});
        convolutions.invokeVoid(new Object[] {settings, Libtorch.bool(rounding > 0 || trainers == 0)});
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            count(-1, rounds);
        }
    }
}

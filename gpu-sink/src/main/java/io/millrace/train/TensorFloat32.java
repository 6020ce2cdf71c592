package io.millrace.train;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.train.TrainSpec.Precision;

/**
 * Whether CUDA's matrix products and convolutions may round what they take to 11 bits, which newer GPUs do several times
 * faster. PyTorch has one setting for the whole process, so trainers beside each other compute alike: rounded while one of
 * them asks for it. Without any it is exact, convolutions too (PyTorch's own default rounds these).
 *
 * <p>Open while a trainer on a GPU is; the settings that were there come back with the last one.
 */
final class TensorFloat32 implements AutoCloseable {
    private static final String PURPOSE = "says whether products are rounded (device.precision)";

    /** Of the trainers in this process. */
    private static final class Trainers {
        static final Function CONTEXT = Libtorch.function("_ZN2at13globalContextEv", PURPOSE);
        static final Setting PRODUCTS = new Setting("15allowTF32CuBLAS", "18setAllowTF32CuBLAS");
        static final Setting CONVOLUTIONS = new Setting("14allowTF32CuDNN", "17setAllowTF32CuDNN");

        /** Guarded by this class: trainers open and close on threads of their own. */
        static int all;

        static int rounding;
        static boolean productsBefore;
        static boolean convolutionsBefore;

        static synchronized void open(boolean rounds) {
            if (all == 0) {
                productsBefore = PRODUCTS.allowed();
                convolutionsBefore = CONVOLUTIONS.allowed();
            }
            count(1, rounds);
            allow(rounding > 0, rounding > 0);
        }

        static synchronized void close(boolean rounds) {
            count(-1, rounds);
            if (all == 0) {
                allow(productsBefore, convolutionsBefore);
            } else {
                allow(rounding > 0, rounding > 0);
            }
        }

        private static void count(int more, boolean rounds) {
            all += more;
            rounding += rounds ? more : 0;
        }

        private static void allow(boolean products, boolean convolutions) {
            PRODUCTS.allow(products);
            CONVOLUTIONS.allow(convolutions);
        }
    }

    private static final class Setting {
        private final Function allowed;
        private final Function allow;

        Setting(String getter, String setter) {
            allowed = Libtorch.function("_ZNK2at7Context" + getter + "Ev", PURPOSE);
            allow = Libtorch.function("_ZN2at7Context" + setter + "Eb", PURPOSE);
        }

        private static Pointer context() {
            return Trainers.CONTEXT.invokePointer(new Object[0]);
        }

        boolean allowed() {
            return Libtorch.bool(allowed.invokeInt(new Object[] {context()}));
        }

        void allow(boolean value) {
            allow.invokeVoid(new Object[] {context(), Libtorch.bool(value)});
        }
    }

    private final boolean rounds;
    private boolean open = true;

    /** For a trainer on a GPU. */
    TensorFloat32(Precision precision) {
        rounds = precision == Precision.TF32;
        Trainers.open(rounds);
    }

    /** What holds in this process now: products and convolutions. */
    static boolean[] allowed() {
        return new boolean[] {Trainers.PRODUCTS.allowed(), Trainers.CONVOLUTIONS.allowed()};
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            Trainers.close(rounds);
        }
    }
}

package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.millrace.train.TrainSpec.Precision;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** PyTorch's settings, as PyTorch itself tells them: the getters are those of the libtorch that DJL brings. */
class TensorFloat32Test {
    @BeforeAll
    static void load() {
        TrainingRuntime.preload();
    }

    private static boolean is(String getter) {
        Function function = Libtorch.find("_ZNK2at7Context" + getter + "Ev", "the test asks");
        Pointer context = Libtorch.GLOBAL_CONTEXT.function().invokePointer(new Object[0]);
        return Libtorch.bool(function.invokeInt(new Object[] {context}));
    }

    /** Of products, and of convolutions. */
    private static boolean[] rounded() {
        return new boolean[] {is("15allowTF32CuBLAS"), is("14allowTF32CuDNN")};
    }

    @Test
    void productsAreRoundedWhileATrainerAsksForItAndAsPyTorchDoesOnceAllAreClosed() {
        assertThat(rounded()).as("PyTorch's defaults").containsExactly(false, true);
        TensorFloat32 exact = new TensorFloat32(Precision.FLOAT32);
        assertThat(rounded()).containsExactly(false, false);
        TensorFloat32 rounding = new TensorFloat32(Precision.TF32);
        assertThat(rounded()).as("with one that asks for it").containsExactly(true, true);
        rounding.close();
        rounding.close();
        assertThat(rounded()).containsExactly(false, false);
        exact.close();
        assertThat(rounded()).containsExactly(false, true);
    }

    @Test
    void theLastTrainerToCloseMayBeTheOneThatRounds() {
        TensorFloat32 rounding = new TensorFloat32(Precision.TF32);
        new TensorFloat32(Precision.BFLOAT16).close();
        assertThat(rounded()).containsExactly(true, true);
        rounding.close();
        assertThat(rounded()).containsExactly(false, true);
    }
}

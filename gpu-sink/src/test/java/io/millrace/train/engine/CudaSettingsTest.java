package io.millrace.train.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.pytorch.engine.PtNDManager;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.millrace.train.spec.GpuKernels;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** PyTorch's settings, read by the getters of libtorch 2.7 and of newer versions. */
class CudaSettingsTest {
    @BeforeAll
    static void load() {
        TrainingRuntime.preload();
    }

    private static boolean is(String getter) {
        return is(getter, "v");
    }

    private static boolean is(String getter, String parameters) {
        Function function = Libtorch.find("_ZNK2at7Context" + getter + "E" + parameters, "the test calls");
        Pointer context = Libtorch.GLOBAL_CONTEXT.function().invokePointer(new Object[0]);
        long none = 0; // an empty std::optional, for functions with such a parameter
        return Libtorch.bool(function.invokeInt(new Object[] {context, none}));
    }

    private static CudaSettings open(Precision precision, GpuKernels kernels) {
        return new CudaSettings(precision, kernels);
    }

    /** Returns whether products and convolutions are rounded. */
    private static boolean[] rounded() {
        return new boolean[] {is("15allowTF32CuBLAS"), roundsConvolutions()};
    }

    /** Newer libtorch has a parameter for the operation, which may be empty. */
    private static boolean roundsConvolutions() {
        try {
            return is("14allowTF32CuDNN");
        } catch (TrainSpecException e) {
            return is("14allowTF32CuDNN", "St8optionalINS_9Float32OpEE");
        }
    }

    @Test
    void productsAreRoundedWhileATrainerRequestsItAndDefaultsReturnAfterTheLastTrainer() {
        assertThat(rounded()).as("PyTorch's defaults").containsExactly(false, true);
        CudaSettings exact = open(Precision.FLOAT32, GpuKernels.FASTEST);
        assertThat(rounded()).containsExactly(false, false);
        CudaSettings rounding = open(Precision.TF32, GpuKernels.FASTEST);
        assertThat(rounded()).as("with one that requests it").containsExactly(true, true);
        rounding.close();
        rounding.close();
        assertThat(rounded()).containsExactly(false, false);
        exact.close();
        assertThat(rounded()).containsExactly(false, true);
    }

    @Test
    void trainerThatRoundsMayCloseLast() {
        CudaSettings rounding = open(Precision.TF32, GpuKernels.FASTEST);
        open(Precision.BFLOAT16, GpuKernels.FASTEST).close();
        assertThat(rounded()).containsExactly(true, true);
        rounding.close();
        assertThat(rounded()).containsExactly(false, true);
    }

    /**
     * Returns whether convolutions and other operations are reproducible, whether the latter only warn, and whether new
     * memory is filled.
     */
    private static boolean[] reproducible() {
        return new boolean[] {
            is("18deterministicCuDNN"),
            is("23deterministicAlgorithms"),
            is("31deterministicAlgorithmsWarnOnly"),
            is("36deterministicFillUninitializedMemory")
        };
    }

    @Test
    void kernelsAreReproducibleWhileATrainerRequestsItAndDefaultsReturnAfterTheLastTrainer() {
        boolean[] defaults = {false, false, false, true};
        assertThat(reproducible()).as("PyTorch's defaults").containsExactly(defaults);
        CudaSettings fastest = open(Precision.FLOAT32, GpuKernels.FASTEST);
        assertThat(reproducible()).containsExactly(defaults);
        CudaSettings same = open(Precision.TF32, GpuKernels.REPRODUCIBLE);
        assertThat(reproducible()).containsExactly(true, true, true, false);
        assertThat(rounded()).containsExactly(true, true);
        fastest.close();
        assertThat(reproducible()).containsExactly(true, true, true, false);
        same.close();
        same.close();
        assertThat(reproducible()).containsExactly(defaults);
    }

    @Test
    void cudnnMeasuresItsKernelsOnlyWhileNoTrainerRequestsReproducibleResults() {
        String measures = "14benchmarkCuDNN";
        assertThat(is(measures)).as("PyTorch's default").isFalse();
        CudaSettings measured = open(Precision.BFLOAT16, GpuKernels.MEASURED);
        assertThat(is(measures)).isTrue();
        CudaSettings same = open(Precision.BFLOAT16, GpuKernels.REPRODUCIBLE);
        assertThat(is(measures)).isFalse();
        same.close();
        assertThat(is(measures)).isTrue();
        measured.close();
        assertThat(is(measures)).isFalse();
    }

    /** Both PyTorch and cuBLAS read the variable with the first matrix product of the process. */
    @Test
    void memoryOfCublasIsSetInTheEnvironmentOfTheProcess() {
        String before = NativeEnvironment.get(CudaSettings.WORKSPACE);
        unset();
        try {
            open(Precision.FLOAT32, GpuKernels.FASTEST).close();
            assertThat(NativeEnvironment.get(CudaSettings.WORKSPACE)).isNull();
            open(Precision.FLOAT32, GpuKernels.REPRODUCIBLE).close();
            assertThat(NativeEnvironment.get(CudaSettings.WORKSPACE)).isEqualTo(":4096:8");
            assertThat(CudaSettings.warnings())
                    .as("the first training may have used cuBLAS")
                    .singleElement()
                    .asString()
                    .contains("an earlier training in this process")
                    .contains("Start a new TaskManager");
            unset();
            NativeEnvironment.setDefault(CudaSettings.WORKSPACE, ":0:0");
            open(Precision.FLOAT32, GpuKernels.REPRODUCIBLE).close();
            assertThat(CudaSettings.warnings()).singleElement().asString().contains("CUBLAS_WORKSPACE_CONFIG=:0:0");
        } finally {
            unset();
            if (before != null) {
                NativeEnvironment.setDefault(CudaSettings.WORKSPACE, before);
            }
        }
    }

    private static void unset() {
        NativeLibrary.getInstance("c").getFunction("unsetenv").invokeInt(new Object[] {CudaSettings.WORKSPACE});
    }

    /** The settings are for GPUs. On the host, results are always the same. */
    @Test
    void trainerOnTheHostChangesNoSetting() {
        Tuning tuning = new Tuning(1, MemoryFormat.CHANNELS_LAST, Precision.FLOAT32, GpuKernels.REPRODUCIBLE);
        try (PtNDManager manager = TrainingRuntime.open(1);
                ComputePrecision precision = ComputePrecision.open(tuning, manager)) {
            assertThat(precision).isNotNull();
            assertThat(reproducible()).containsExactly(false, false, false, true);
        }
    }
}

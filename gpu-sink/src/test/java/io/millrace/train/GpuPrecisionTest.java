package io.millrace.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.CudaDevice;
import io.millrace.device.GpuEngine;
import io.millrace.device.HostDevice;
import io.millrace.train.TrainSpec.Precision;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Precisions of a GPU, of which tf32 is its own. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuPrecisionTest extends PrecisionContract {
    private static final RandomRows GRAY = new RandomRows(List.of(6, 6, 1), 3, Set.of());
    private static final TrainSpec.Part MLP =
            Vectors.part(Models.all(), "mlp", Map.of("hidden", List.of(32L), "classes", 3L));

    GpuPrecisionTest() {
        super(new GpuEngine());
    }

    /** Numbers are read to 11 bits, and added up exactly; a GPU older than Ampere reads them whole. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("io.millrace.train.PrecisionTest#models")
    void stepsInTf32LearnAsOnTheHost(String name, RandomRows rows, TrainSpec.Part model) {
        outcome(rows, model, Precision.TF32)
                .requireWithin(0.005, outcome(rows, model, Precision.FLOAT32, new HostDevice()));
    }

    @Test
    void productsAreRoundedWhileATrainerAsksForItAndAsBeforeAfterwards() {
        TrainingRuntime.preload();
        boolean[] before = TensorFloat32.allowed();
        try (CudaDevice device = new GpuEngine().open()) {
            try (TrainStep exact = open(Precision.FLOAT32, device)) {
                assertThat(exact.parameterCount()).isPositive();
                assertThat(TensorFloat32.allowed()).containsExactly(false, false);
                try (TrainStep rounding = open(Precision.TF32, device)) {
                    assertThat(rounding.parameterCount()).isPositive();
                    assertThat(TensorFloat32.allowed()).containsExactly(true, true);
                }
                assertThat(TensorFloat32.allowed()).containsExactly(false, false);
            }
        }
        assertThat(TensorFloat32.allowed()).containsExactly(before);
    }

    private static TrainStep open(Precision precision, CudaDevice device) {
        return TrainStep.open(PrecisionTest.spec(GRAY, MLP, precision), 24, device);
    }
}

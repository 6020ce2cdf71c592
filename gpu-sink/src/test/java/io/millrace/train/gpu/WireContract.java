package io.millrace.train.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.CudaDevice;
import io.millrace.device.EngineUnderTest;
import io.millrace.sample.DType;
import io.millrace.train.WireTrainingTest;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers of each wire type, on a device whose memory the CPU cannot access. */
abstract class WireContract {
    private static final double ROUNDING = 1e-5;

    private final EngineUnderTest engine;

    WireContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    @ParameterizedTest
    @MethodSource("io.millrace.train.WireTrainingTest#exact")
    void numbersThatTheWireTypeHoldsTrainAsOnTheHost(BatchSpec spec) {
        int classes = spec.column("target").form() == Form.BITS ? 2 : 4;
        try (CudaDevice device = engine.open()) {
            assertThat(WireTrainingTest.trained(spec, 1, classes, device).loss())
                    .isCloseTo(
                            WireTrainingTest.trained(WireTrainingTest.PLAIN, 1, classes)
                                    .loss(),
                            within(engine.within(ROUNDING)));
        }
    }

    static Stream<BatchSpec> rounded() {
        return Stream.of(
                rounded(DType.FLOAT16, Form.DENSE),
                rounded(DType.BFLOAT16, Form.DENSE),
                rounded(DType.FLOAT16, Form.SPARSE),
                rounded(DType.BFLOAT16, Form.SPARSE));
    }

    private static BatchSpec rounded(DType type, Form form) {
        return WireTrainingTest.spec(WireTrainingTest.x(type, form), WireTrainingTest.target(DType.UINT8, Form.DENSE));
    }

    @ParameterizedTest
    @MethodSource("io.millrace.train.gpu.WireContract#rounded")
    void floatsRoundedOnTheWireTrainAsOnTheHost(BatchSpec spec) {
        try (CudaDevice device = engine.open()) {
            assertThat(WireTrainingTest.trained(spec, 0.013f, 4, device).loss())
                    .isCloseTo(WireTrainingTest.trained(spec, 0.013f, 4).loss(), within(engine.within(ROUNDING)));
        }
    }

    @Test
    void unchangedInputsHaveTheSamplesTypeAgain() {
        try (CudaDevice device = engine.open()) {
            WireTrainingTest.requireRestored(device);
        }
    }
}

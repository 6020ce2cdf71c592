package io.millrace.train.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceBatch;
import io.millrace.device.EngineUnderTest;
import io.millrace.device.HostDevice;
import io.millrace.train.RandomRows;
import io.millrace.train.TrainStep;
import io.millrace.train.engine.PrecisionTest;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Precision;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps in each precision on a device, compared with steps on the host in float32. */
abstract class PrecisionContract {
    private static final int ROWS = 24;
    private static final int STEPS = 3;

    private final EngineUnderTest engine;

    PrecisionContract(EngineUnderTest engine) {
        this.engine = engine;
    }

    @AfterEach
    void nothingIsLeft() {
        engine.assertNothingLeft();
    }

    /** The results of a few steps on the same rows, and of an evaluation after them. */
    record Outcome(List<Double> losses, double evaluation) {
        void requireWithin(double share, Outcome expected) {
            for (int i = 0; i < losses.size(); i++) {
                assertThat(losses.get(i))
                        .as("loss of step %d", i)
                        .isCloseTo(expected.losses.get(i), within(share * expected.losses.get(0)));
            }
            assertThat(evaluation).as("evaluation").isCloseTo(expected.evaluation, within(share * ROWS));
        }
    }

    static Outcome outcome(RandomRows rows, Component model, Precision precision, Device device) {
        List<Double> losses = new ArrayList<>();
        try (TrainStep step = TrainStep.open(PrecisionTest.spec(rows, model, precision), ROWS, device);
                DeviceBatch batch = device.allocate(rows.spec(), ROWS)) {
            for (int i = 0; i < STEPS; i++) {
                losses.add(rows.train(device, step, i, 0, ROWS));
            }
            rows.fill(batch, STEPS, 0, ROWS);
            batch.beginUse();
            double evaluation = step.evaluate(batch).lossSum();
            batch.endUse();
            return new Outcome(losses, evaluation);
        }
    }

    /** Returns the outcome of steps on the engine's device. */
    Outcome outcome(RandomRows rows, Component model, Precision precision) {
        try (CudaDevice device = engine.open()) {
            return outcome(rows, model, precision, device);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.millrace.train.engine.PrecisionTest#models")
    void stepsInFloat32AndBfloat16LearnAsOnTheHost(String name, RandomRows rows, Component model) {
        Outcome expected = outcome(rows, model, Precision.FLOAT32, new HostDevice());
        Outcome exact = outcome(rows, model, Precision.FLOAT32);
        Outcome rounded = outcome(rows, model, Precision.BFLOAT16);
        exact.requireWithin(EngineUnderTest.ROUNDING, expected);
        rounded.requireWithin(0.02, expected);
        assertThat(rounded).isNotEqualTo(exact);
    }
}

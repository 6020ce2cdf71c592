package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import io.millrace.device.HostDevice;
import io.millrace.train.RandomRows;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Precision;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The precisions of a GPU. The precision tf32 exists only on GPUs. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuPrecisionTest extends PrecisionContract {
    GpuPrecisionTest() {
        super(new GpuEngine());
    }

    /** Inputs are rounded to 11 bits and summed exactly. A GPU older than Ampere does not round them. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("io.millrace.train.engine.PrecisionTest#models")
    void stepsInTf32LearnAsOnTheHost(String name, RandomRows rows, Component model) {
        outcome(rows, model, Precision.TF32)
                .requireWithin(0.005, outcome(rows, model, Precision.FLOAT32, new HostDevice()));
    }
}

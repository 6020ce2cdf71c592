package io.millrace.train.gpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import io.millrace.train.RandomRows;
import io.millrace.train.Vectors;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rehearsal of a device's precisions: the driver is a stub, and the engine runs on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedPrecisionTest extends PrecisionContract {
    RehearsedPrecisionTest() {
        super(new RehearsedEngine());
    }

    /** All resources that were opened before the refusal are closed. */
    @Test
    void tf32IsRefusedAsOnTheHost() {
        RandomRows rows = new RandomRows(List.of(6, 6, 1), 3, Set.of());
        Component mlp = Vectors.part(Models.all(), "mlp", Map.of("hidden", List.of(4L), "classes", 3L));
        assertThatThrownBy(() -> outcome(rows, mlp, Precision.TF32))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("tf32 is only available on CUDA devices");
    }
}

package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that trainings on a GPU agree with trainings on the host. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuAgreementTest extends AgreementContract {
    GpuAgreementTest() {
        super(new GpuEngine());
    }
}

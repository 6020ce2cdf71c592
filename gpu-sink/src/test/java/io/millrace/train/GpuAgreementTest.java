package io.millrace.train;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is learnt on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuAgreementTest extends AgreementContract {
    GpuAgreementTest() {
        super(new GpuEngine());
    }
}

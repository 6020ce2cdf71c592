package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import io.millrace.train.UpdatesContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Updates on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuUpdatesTest extends UpdatesContract {
    GpuUpdatesTest() {
        super(new GpuEngine());
    }
}

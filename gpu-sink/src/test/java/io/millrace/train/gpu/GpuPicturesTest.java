package io.millrace.train.gpu;

import io.millrace.device.GpuEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Training on changed pictures on a GPU. */
@Tag("gpu")
@ExtendWith(GpuEngine.Needed.class)
class GpuPicturesTest extends PicturesContract {
    GpuPicturesTest() {
        super(new GpuEngine());
    }
}

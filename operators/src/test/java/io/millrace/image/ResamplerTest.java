package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.sample.Field;
import org.junit.jupiter.api.Test;

/** Tests of the parts of the resampler that all kernels share. {@link KernelsTest} compares pixels with Pillow's. */
class ResamplerTest {
    @Test
    void cropOutsideOfTheImageIsRefused() {
        Field image = ImageVectors.pixels(1, "noise", 4, 4, 3);
        assertThatThrownBy(() -> new Resampler(Interpolation.BILINEAR).resize(image, new Crop(2, 0, 3, 4), 8, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2,0 3x4");
    }
}

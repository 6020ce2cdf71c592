package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.sample.Field;
import org.junit.jupiter.api.Test;

/** What all kernels share; their pixels are held to Pillow's by {@link KernelsTest}. */
class ResamplerTest {
    @Test
    void cropOutsideOfTheImageIsRefused() {
        Field image = ImageVectors.pixels(1, "noise", 4, 4, 3);
        assertThatThrownBy(() -> new Resampler(Interpolation.BILINEAR).resize(image, new Crop(2, 0, 3, 4), 8, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2,0 3x4");
    }
}

package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.GaussianBlurOps;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GaussianBlurTest {
    @Test
    void sigmaIsUniformInItsRange() throws Exception {
        TransformFixture blur = TransformFixture.of("GaussianBlur", Map.of("kernel_size", 1L));
        int draws = 20_000;
        int[] counts = new int[19];
        for (int draw = 0; draw < draws; draw++) {
            blur.apply(TransformFixture.noise(1, 1, 3));
            double sigma = Double.parseDouble(blur.drawn().substring("sigma ".length()));
            counts[Math.min((int) ((sigma - 0.1) * 10), 18)]++;
        }
        double chiSquare = 0;
        for (int count : counts) {
            chiSquare += (count - draws / 19.0) * (count - draws / 19.0) / (draws / 19.0);
        }
        // With 18 degrees of freedom, one sample in a thousand exceeds this bound.
        assertThat(chiSquare).isLessThan(42.3);
    }

    @Test
    void kernelIsWidthThenHeight() throws Exception {
        double sigma = new SampleRandom(42, 3).reset(0, 0).nextDouble(0.5, 1.5);
        Field expected = TransformFixture.noise(20, 30, 3);
        new GaussianBlurOps().blur(expected, new GaussianBlurOps.Kernel(7, 3), sigma);
        Field blurred = TransformFixture.of(
                        "GaussianBlur", Map.of("kernel_size", List.of(7L, 3L), "sigma", List.of(0.5, 1.5)))
                .apply(TransformFixture.noise(20, 30, 3));
        assertThat(blurred.data()).isEqualTo(expected.data());
    }

    @Test
    void imageSmallerThanTheKernelsReachMakesABadSample() {
        TransformFixture blur = TransformFixture.of("GaussianBlur", Map.of("kernel_size", 9L, "sigma", 1L));
        assertThatThrownBy(() -> blur.apply(TransformFixture.noise(4, 5, 3)))
                .isInstanceOfSatisfying(BadSampleException.class, e -> assertThat(e.reason())
                        .isEqualTo("GaussianBlur expected an image of at least 5x5 for its kernel, found 4x5"));
    }

    @Test
    void badParametersAreRefused() {
        assertThatThrownBy(() -> TransformFixture.of("GaussianBlur", Map.of("kernel_size", 4L)))
                .hasMessage("'kernel_size': expected one or two odd integers of 1 to 1023, found 4");
        assertThatThrownBy(() -> TransformFixture.of("GaussianBlur", Map.of("kernel_size", 3L, "sigma", 0L)))
                .hasMessage("'sigma': expected a number above 0, or [least, most], two such numbers in order, found 0");
    }
}

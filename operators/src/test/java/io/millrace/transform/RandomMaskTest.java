package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.image.PixelMask;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RandomMaskTest {
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.001, 0.25, 0.3, 0.5, 0.9, 1})
    void shareOfChosenPixelsIsTheRatio(double ratio) {
        int edge = 700;
        PixelMask mask =
                RandomMask.draw(new SampleRandom(5, 1).reset(0, 9), edge, edge, Math.round(ratio * (1L << 32)));
        double pixels = (double) edge * edge;
        // The bound is four standard deviations. The ratios 0 and 1 are certain.
        assertThat(mask.count() / pixels).isCloseTo(ratio, within(4 * Math.sqrt(ratio * (1 - ratio) / pixels)));
    }

    @Test
    void neighboursAreChosenIndependently() {
        PixelMask mask = RandomMask.draw(new SampleRandom(5, 1).reset(0, 9), 500, 500, 1L << 30);
        int both = 0;
        for (int row = 1; row < 500; row++) {
            for (int column = 1; column < 500; column++) {
                both += mask.masked(row, column) && mask.masked(row, column - 1) ? 1 : 0;
                both += mask.masked(row, column) && mask.masked(row - 1, column) ? 1 : 0;
            }
        }
        double pairs = 2.0 * 499 * 499;
        assertThat(both / pairs).isCloseTo(1 / 16.0, within(5 * Math.sqrt(0.0625 * 0.9375 / pairs)));
    }

    @Test
    void chosenPixelsAndTheirNeighboursAreBlackInAllChannels() throws Exception {
        TransformFixture transform = TransformFixture.of("RandomMask", Map.of());
        Field image = TransformFixture.noise(40, 70, 3);
        PixelMask expected = RandomMask.draw(new SampleRandom(42, 3).reset(0, 0), 40, 70, 1L << 30)
                .grown();
        Field masked = transform.apply(TransformFixture.noise(40, 70, 3));
        for (int pixel = 0; pixel < 40 * 70; pixel++) {
            boolean black = expected.masked(pixel / 70, pixel % 70);
            for (int channel = 0; channel < 3; channel++) {
                int at = pixel * 3 + channel;
                assertThat(masked.data()[at]).isEqualTo(black ? 0 : image.data()[at]);
            }
        }
        assertThat(transform.drawn()).isEqualTo("masked " + expected.count() + " of 2800");
        // The expected share inside is 1 - 0.75^5.
        assertThat(expected.count() / 2800.0).isCloseTo(0.763, within(0.03));
    }

    @Test
    void allImagesHaveTheSameMaskAndMasksStay() throws Exception {
        Sample sample = TransformFixture.of("RandomMask", Map.of())
                .apply(Map.of(
                        "image",
                        TransformFixture.noise(20, 30, 3),
                        "second",
                        TransformFixture.noise(20, 30, 3),
                        "labels",
                        TransformFixture.mask(20, 30)));
        assertThat(sample.image().data())
                .isEqualTo(sample.field("second").data())
                .isNotEqualTo(TransformFixture.noise(20, 30, 3).data());
        assertThat(sample.field("labels").data())
                .isEqualTo(TransformFixture.mask(20, 30).data());
    }
}

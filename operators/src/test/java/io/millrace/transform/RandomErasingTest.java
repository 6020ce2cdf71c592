package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.ImageVectors.Row;
import io.millrace.order.ChiSquare;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RandomErasingTest {
    private static final RandomErasing.Shares SCALE = new RandomErasing.Shares(0.02, 0.33);
    private static final DrawnRange RATIO = new DrawnRange(0.3, 3.3);

    /**
     * Compares edges and places of rectangles in an image of 60x80 with the same number of rectangles from torchvision.
     */
    @Test
    void rectanglesHaveTheDistributionOfTorchvision() {
        long[] heights = new long[60];
        long[] widths = new long[80];
        long[] tops = new long[10];
        long[] lefts = new long[10];
        SampleRandom random = new SampleRandom(11, 5);
        for (int draw = 0; draw < 20_000; draw++) {
            Optional<Crop> crop = RandomErasing.draw(random.reset(0, draw), 60, 80, SCALE, RATIO);
            heights[crop.map(Crop::height).orElse(0)]++;
            widths[crop.map(Crop::width).orElse(0)]++;
            crop.ifPresent(c -> {
                tops[10 * c.top() / (60 - c.height() + 1)]++;
                lefts[10 * c.left() / (80 - c.width() + 1)]++;
            });
        }
        List<Row> theirs = GeometryVectors.table("erasing_draws.csv");
        assertThat(theirs).extracting(row -> row.text("what")).containsExactly("height", "width", "top", "left");
        assertSameDistribution(heights, theirs.get(0));
        assertSameDistribution(widths, theirs.get(1));
        assertSameDistribution(tops, theirs.get(2));
        assertSameDistribution(lefts, theirs.get(3));
    }

    /** Applies the two-sample test with equal numbers of draws, over bins of at least ten. */
    private static void assertSameDistribution(long[] ours, Row row) {
        double[] theirs = row.reals("counts");
        double statistic = 0;
        int bins = 0;
        double a = 0;
        double b = 0;
        for (int i = 0; i < ours.length; i++) {
            a += ours[i];
            b += theirs[i];
            if (a + b >= 20 || i == ours.length - 1) {
                statistic += a + b == 0 ? 0 : (a - b) * (a - b) / (a + b);
                bins++;
                a = 0;
                b = 0;
            }
        }
        assertThat(bins).isGreaterThan(9);
        assertThat(statistic).as("%s", row).isLessThan(ChiSquare.bound(bins - 1));
    }

    @Test
    void appliesWithItsProbabilityAndIsDescribed() throws Exception {
        TransformFixture erasing = TransformFixture.of("RandomErasing", Map.of("p", 0.4));
        int draws = 10_000;
        int erased = 0;
        for (int draw = 0; draw < draws; draw++) {
            erasing.apply(TransformFixture.noise(20, 20, 1));
            erased += erasing.drawn().startsWith("erased ") ? 1 : 0;
        }
        assertThat((double) erased / draws).isCloseTo(0.4, within(4 * Math.sqrt(0.4 * 0.6 / draws)));
    }

    @Test
    void rectangleHasItsColourInAllImagesAndMasksStay() throws Exception {
        TransformFixture erasing =
                TransformFixture.of("RandomErasing", Map.of("p", 1L, "value", List.of(10L, 20L, 30L)));
        SampleRandom numbers = erasing.nextNumbers();
        numbers.nextDouble();
        Crop crop = RandomErasing.draw(numbers, 30, 40, SCALE, RATIO).orElseThrow();
        Sample sample = erasing.apply(Map.of(
                "image",
                TransformFixture.noise(30, 40, 3),
                "second",
                TransformFixture.noise(30, 40, 3),
                "labels",
                TransformFixture.mask(30, 40)));
        Field before = TransformFixture.noise(30, 40, 3);
        for (int pixel = 0; pixel < 30 * 40; pixel++) {
            int row = pixel / 40 - crop.top();
            int column = pixel % 40 - crop.left();
            boolean inside = row >= 0 && row < crop.height() && column >= 0 && column < crop.width();
            byte[] expected =
                    inside ? new byte[] {10, 20, 30} : Arrays.copyOfRange(before.data(), pixel * 3, pixel * 3 + 3);
            assertThat(Arrays.copyOfRange(sample.image().data(), pixel * 3, pixel * 3 + 3))
                    .isEqualTo(expected);
        }
        assertThat(sample.field("second").data()).isEqualTo(sample.image().data());
        assertThat(sample.field("labels").data())
                .isEqualTo(TransformFixture.mask(30, 40).data());
        assertThat(erasing.drawn()).isEqualTo("erased " + crop);
    }

    @Test
    void randomValuesAreUniformBytes() throws Exception {
        TransformFixture erasing = TransformFixture.of(
                "RandomErasing",
                Map.of("p", 1L, "value", "random", "scale", List.of(0.5, 0.5), "ratio", List.of(1L, 1L)));
        long[] counts = new long[256];
        for (int draw = 0; draw < 20; draw++) {
            Field erased = erasing.apply(Field.image(64, 64, 3, new byte[64 * 64 * 3]));
            String[] place = erasing.drawn().replaceAll("[^0-9]+", " ").trim().split(" ", -1);
            int top = Integer.parseInt(place[0]);
            int left = Integer.parseInt(place[1]);
            assertThat(List.of(place).subList(2, 4)).isEqualTo(List.of("45", "45"));
            for (int row = top; row < top + 45; row++) {
                for (int at = (row * 64 + left) * 3; at < (row * 64 + left + 45) * 3; at++) {
                    counts[erased.data()[at] & 255]++;
                }
            }
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(255));
    }

    @Test
    void rectangleThatNeverFitsLeavesTheImage() throws Exception {
        TransformFixture erasing = TransformFixture.of("RandomErasing", Map.of("p", 1L, "scale", List.of(1L, 1L)));
        List<Byte> before = new ArrayList<>();
        Field image = TransformFixture.noise(8, 8, 1);
        for (byte value : image.data()) {
            before.add(value);
        }
        for (int draw = 0; draw < 20; draw++) {
            erasing.apply(image);
            assertThat(erasing.drawn()).isEqualTo("as is");
        }
        for (int i = 0; i < before.size(); i++) {
            assertThat(image.data()[i]).isEqualTo(before.get(i));
        }
    }

    @Test
    void badOptionsAreRefusedWithTheExpectedValue() {
        assertThatThrownBy(() -> TransformFixture.of("RandomErasing", Map.of("scale", List.of(0.5, 1.5))))
                .hasMessage("'scale': expected [least, most], two numbers from 0 to 1 in order, found [0.5, 1.5]");
        assertThatThrownBy(() -> TransformFixture.of("RandomErasing", Map.of("value", "noise")))
                .hasMessageContaining(
                        "'value': expected a number of 0 to 255, or a list [red, green, blue] of such numbers");
        TransformFixture erasing = TransformFixture.of("RandomErasing", Map.of("p", 1L, "value", List.of(1L, 2L, 3L)));
        assertThatThrownBy(() -> erasing.apply(TransformFixture.noise(30, 30, 1)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("value [1, 2, 3] has 3 numbers, but the image has 1 channel");
    }
}

package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.Crop;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RandomResizedCropTest {
    private static final int DRAWS = 100_000;

    static List<Row> distributions() {
        return ImageVectors.table("random_resized_crop.csv");
    }

    static List<Row> fallbacks() {
        return ImageVectors.table("central_crop.csv");
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void parametersHaveTheDistributionOfTorchvision(Row row) {
        double[] edges = numbers(row.text("edges"));
        double[] theirs = numbers(row.text("counts"));
        double[] ours = new double[theirs.length];
        SampleRandom random = new SampleRandom(7, 2);
        int height = row.number("height");
        int width = row.number("width");
        DrawnRange scale = new DrawnRange(row.real("scale_from"), row.real("scale_to"));
        DrawnRange ratio = new DrawnRange(row.real("ratio_from"), row.real("ratio_to"));
        for (int draw = 0; draw < DRAWS; draw++) {
            Crop crop = RandomResizedCrop.draw(random.reset(0, draw), height, width, scale, ratio);
            double value =
                    switch (row.text("parameter")) {
                        case "area" -> (double) crop.height() * crop.width();
                        case "shape" -> (double) crop.width() / crop.height();
                        case "top" -> (crop.top() + 0.5) / (height - crop.height() + 1);
                        case "left" -> (crop.left() + 0.5) / (width - crop.width() + 1);
                        default -> throw new AssertionError(row);
                    };
            int bin = Arrays.binarySearch(edges, value);
            ours[bin >= 0 ? bin : -bin - 1]++;
        }
        // This is the statistic of the two-sample test with equal numbers of draws.
        double chiSquare = 0;
        for (int bin = 0; bin < ours.length; bin++) {
            chiSquare += (ours[bin] - theirs[bin]) * (ours[bin] - theirs[bin]) / (ours[bin] + theirs[bin]);
        }
        // With 19 degrees of freedom, one sample in a thousand exceeds this bound.
        assertThat(chiSquare).isLessThan(43.8);
    }

    @ParameterizedTest
    @MethodSource("fallbacks")
    void centralCropIsUsedWhenNoTryFits(Row row) {
        Crop crop = RandomResizedCrop.draw(
                new SampleRandom(1, 1).reset(0, 0),
                row.number("height"),
                row.number("width"),
                new DrawnRange(0.9, 1),
                new DrawnRange(3.0 / 4, 4.0 / 3));
        assertThat(crop)
                .isEqualTo(new Crop(
                        row.number("top"), row.number("left"), row.number("crop_height"), row.number("crop_width")));
    }

    @Test
    void resultIsTheResizedCropThatWasDrawn() throws Exception {
        TransformFixture transform = TransformFixture.of("RandomResizedCrop", Map.of("size", List.of(16L, 24L)));
        Field image = TransformFixture.noise(60, 80, 3);
        Field result = transform.apply(image);
        Crop expected = RandomResizedCrop.draw(
                new SampleRandom(42, 3).reset(0, 0), 60, 80, new DrawnRange(0.08, 1), new DrawnRange(3.0 / 4, 4.0 / 3));
        assertThat(transform.drawn()).isEqualTo("crop " + expected);
        assertThat(result.data())
                .isEqualTo(new Resampler(Interpolation.BILINEAR)
                        .resize(image, expected, 16, 24)
                        .data());
    }

    private static double[] numbers(String text) {
        return Arrays.stream(text.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }
}

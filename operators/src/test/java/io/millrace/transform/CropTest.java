package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.PixelOps;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that compare CenterCrop and RandomCrop with torchvision. */
class CropTest {
    static List<Row> centers() {
        return ImageVectors.table("center_crop.csv");
    }

    static List<Row> crops() {
        return ImageVectors.table("random_crop.csv");
    }

    @ParameterizedTest
    @MethodSource("centers")
    void centerCropHasThePixelsOfTorchvision(Row row) throws Exception {
        Field cropped =
                TransformFixture.of("CenterCrop", Map.of("size", size(row))).apply(image(row));
        assertThat(ImageVectors.sha256(cropped)).isEqualTo(row.text("sha256"));
    }

    @ParameterizedTest
    @MethodSource("crops")
    void cropAtAGivenPlaceHasThePixelsOfTorchvision(Row row) {
        Crop crop = new Crop(row.number("top"), row.number("left"), row.number("out_height"), row.number("out_width"));
        assertThat(ImageVectors.sha256(PixelOps.crop(image(row), crop, row.number("fill"))))
                .isEqualTo(row.text("sha256"));
    }

    @ParameterizedTest
    @MethodSource("crops")
    void placeOfTorchvisionIsAmongTheDrawnPlaces(Row row) throws Exception {
        Map<String, Object> options = new HashMap<>();
        options.put("size", size(row));
        options.put("pad_if_needed", row.text("pad_if_needed").equals("True"));
        options.put("fill", (long) row.number("fill"));
        if (!row.text("padding").isEmpty()) {
            List<Long> padding = new ArrayList<>();
            for (String side : row.text("padding").split(" ", -1)) {
                padding.add(Long.parseLong(side));
            }
            options.put("padding", padding);
        }
        TransformFixture crop = TransformFixture.of("RandomCrop", options);
        boolean found = false;
        for (int draw = 0; draw < 20_000 && !found; draw++) {
            Field cropped = crop.apply(image(row));
            assertThat(cropped.shape())
                    .containsExactly(row.number("out_height"), row.number("out_width"), row.number("channels"));
            found = crop.drawn()
                    .equals("crop " + row.number("top") + "," + row.number("left") + " " + row.number("out_height")
                            + "x" + row.number("out_width"));
            if (found) {
                assertThat(ImageVectors.sha256(cropped)).isEqualTo(row.text("sha256"));
            }
        }
        assertThat(found).isTrue();
    }

    @Test
    void placesAreEquallyLikely() throws Exception {
        TransformFixture crop = TransformFixture.of("RandomCrop", Map.of("size", List.of(2L, 3L), "padding", 1L));
        Field image = TransformFixture.noise(3, 4, 1);
        Map<String, Integer> counts = new HashMap<>();
        int draws = 32_000;
        for (int draw = 0; draw < draws; draw++) {
            crop.apply(image);
            counts.merge(crop.drawn(), 1, Integer::sum);
        }
        // A 5x6 image has 4 x 4 places for a 2x3 crop.
        assertThat(counts).hasSize(16);
        double expected = draws / 16.0;
        double chiSquare = counts.values().stream()
                .mapToDouble(count -> (count - expected) * (count - expected) / expected)
                .sum();
        // With 15 degrees of freedom, one sample in a thousand exceeds this bound.
        assertThat(chiSquare).isLessThan(37.7);
    }

    @Test
    void cropLargerThanTheImageMakesABadSample() {
        TransformFixture crop = TransformFixture.of("RandomCrop", Map.of("size", 32L));
        assertThatThrownBy(() -> crop.apply(TransformFixture.noise(20, 40, 3)))
                .isInstanceOfSatisfying(
                        BadSampleException.class, e -> assertThat(e.file()).isEqualTo("photos/0.jpg"))
                .hasMessage("RandomCrop expected an image of at least 32x32, found 20x40; pad_if_needed: true would"
                        + " pad it");
    }

    private static List<Long> size(Row row) {
        return List.of((long) row.number("out_height"), (long) row.number("out_width"));
    }

    private static Field image(Row row) {
        return TransformFixture.noise(row.number("height"), row.number("width"), row.number("channels"));
    }
}

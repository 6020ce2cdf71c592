package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the transforms that change all values of an image with a given probability. */
class RandomChangeTest {
    /**
     * A transform with a probability.
     *
     * @param name the name of the transform
     * @param option its option besides p; empty if there is none
     * @param value the value of the option
     * @param operation the name of torchvision's function in the vectors
     */
    record Named(String name, String option, Object value, String operation) {
        Map<String, Object> options(double probability) {
            Map<String, Object> options = new HashMap<>(Map.of("p", probability));
            if (!option.isEmpty()) {
                options.put(option, value);
            }
            return options;
        }
    }

    static Stream<Named> transforms() {
        return Stream.of(
                new Named("RandomGrayscale", "", 3L, "grayscale"),
                new Named("RandomInvert", "", "", "invert"),
                new Named("RandomPosterize", "bits", 3L, "posterize"),
                new Named("RandomSolarize", "threshold", 127.5, "solarize"),
                new Named("RandomAdjustSharpness", "sharpness_factor", 1.9, "sharpness"),
                new Named("RandomAutocontrast", "", "", "autocontrast"),
                new Named("RandomEqualize", "", "", "equalize"));
    }

    @ParameterizedTest
    @MethodSource("transforms")
    void pixelsAreThoseOfTorchvisionWithProbability1(Named transform) throws Exception {
        TransformFixture fixture = TransformFixture.of(transform.name(), transform.options(1));
        List<Row> rows = ImageVectors.tableAt("/vectors/transform/colour/pixels.csv").stream()
                .filter(row -> row.text("operation").equals(transform.operation()))
                .filter(row -> row.text("value").equals(String.valueOf(transform.value())))
                .filter(row -> !row.text("kind").contains("."))
                .filter(row -> row.number("channels") == 3)
                .toList();
        assertThat(rows).hasSize(7);
        for (Row row : rows) {
            Field image = ImageVectors.pixels(
                    row.number("seed"), row.text("kind"), row.number("height"), row.number("width"), 3);
            assertThat(ImageVectors.sha256(fixture.apply(image))).as("%s", row).startsWith(row.text("digest"));
            assertThat(fixture.drawn()).isNotEqualTo("as is");
        }
    }

    @ParameterizedTest
    @MethodSource("transforms")
    void appliesWithItsProbability(Named transform) throws Exception {
        TransformFixture fixture = TransformFixture.of(transform.name(), transform.options(0.3));
        int draws = 20_000;
        int changed = 0;
        for (int draw = 0; draw < draws; draw++) {
            fixture.apply(TransformFixture.noise(1, 1, 3));
            changed += fixture.drawn().equals("as is") ? 0 : 1;
        }
        // The bound is four standard deviations.
        assertThat((double) changed / draws).isCloseTo(0.3, within(4 * Math.sqrt(0.3 * 0.7 / draws)));
    }

    @ParameterizedTest
    @MethodSource("transforms")
    void imageStaysUnchangedWithProbability0(Named transform) throws Exception {
        Field image =
                TransformFixture.of(transform.name(), transform.options(0)).apply(TransformFixture.noise(12, 15, 3));
        assertThat(image.data()).isEqualTo(TransformFixture.noise(12, 15, 3).data());
    }

    @ParameterizedTest
    @MethodSource("transforms")
    void masksStayUnchanged(Named transform) throws Exception {
        Sample sample = new Sample(0, "a", 0)
                .put("mask", TransformFixture.noise(40, 41, 1).as(FieldKind.MASK))
                .put("image", ImageVectors.pixels(1, "soft", 40, 41, 3));
        TransformFixture.create(transform.name(), transform.options(1))
                .apply(sample, new SampleRandom(1, 1).reset(0, 0));
        assertThat(sample.field("mask").data())
                .isEqualTo(TransformFixture.noise(40, 41, 1).data());
        assertThat(sample.image().data())
                .isNotEqualTo(ImageVectors.pixels(1, "soft", 40, 41, 3).data());
    }

    @Test
    void badParametersAreRefused() {
        assertThatThrownBy(() -> TransformFixture.of("RandomPosterize", Map.of("bits", 9L)))
                .hasMessage("'bits': expected 0 to 8, found 9");
        assertThatThrownBy(() -> TransformFixture.of("RandomPosterize", Map.of()))
                .hasMessage("missing key 'bits'");
        assertThatThrownBy(() -> TransformFixture.of("RandomSolarize", Map.of("threshold", 256L)))
                .hasMessage("'threshold': expected a number up to 255, found 256");
        assertThatThrownBy(() -> TransformFixture.of("RandomAdjustSharpness", Map.of("sharpness_factor", -0.1)))
                .hasMessage("'sharpness_factor': expected at least 0, found -0.1");
    }
}

package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.Fill;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.Interpolation;
import io.millrace.image.Rotation;
import io.millrace.image.Warp;
import io.millrace.order.ChiSquare;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RandomRotationTest {
    static List<Row> vectors() {
        return GeometryVectors.table("rotate.csv");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void pixelsForAGivenAngleAreThoseOfTorchvision(Row row) throws Exception {
        Map<String, Object> options = new HashMap<>(Map.of(
                "degrees",
                List.of(row.real("angle"), row.real("angle")),
                "interpolation",
                row.text("interpolation"),
                "expand",
                row.number("expand") == 1,
                "fill",
                GeometryVectors.raw(row, "fill")));
        if (!row.text("center").isEmpty()) {
            options.put("center", GeometryVectors.raw(row, "center"));
        }
        Field turned = TransformFixture.of("RandomRotation", options).apply(GeometryVectors.source(row));
        assertThat(turned.shape())
                .containsExactly(row.number("out_height"), row.number("out_width"), row.number("channels"));
        assertThat(ImageVectors.sha256(turned)).isEqualTo(row.text("sha256"));
    }

    @Test
    void anglesAreUniformBetweenTheEnds() {
        SampleRandom random = new SampleRandom(7, 2);
        Degrees degrees = Degrees.OPTION.parse(30L);
        long[] counts = new long[60];
        for (int draw = 0; draw < 60_000; draw++) {
            counts[(int) Math.floor(degrees.draw(random.reset(0, draw)) + 30)]++;
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(counts.length - 1));
    }

    @Test
    void drawnAngleIsDescribedAndRotatesImageAndMaskAlike() throws Exception {
        TransformFixture rotation = TransformFixture.of(
                "RandomRotation", Map.of("degrees", 90L, "interpolation", "bilinear", "fill", 9L, "mask_fill", 20L));
        double angle = rotation.nextNumbers().nextDouble(-90, 90);
        Field image = TransformFixture.noise(15, 22, 3);
        Field mask = TransformFixture.mask(15, 22);
        Sample sample = rotation.apply(Map.of("image", image, "labels", mask));
        assertThat(rotation.drawn()).isEqualTo(String.format(Locale.ROOT, "turned %.1f degrees", angle));
        Warp warp = new Warp();
        assertThat(sample.image().data())
                .isEqualTo(warp.rotate(image, Rotation.by(angle), Interpolation.BILINEAR, Fill.of(9), new byte[0])
                        .data());
        assertThat(sample.field("labels").kind()).isEqualTo(FieldKind.MASK);
        assertThat(sample.field("labels").data())
                .isEqualTo(warp.rotate(mask, Rotation.by(angle), Interpolation.NEAREST, Fill.of(20), new byte[0])
                        .data());
    }

    @Test
    void badAnglesAreRefusedWithTheExpectedValue() {
        for (Object degrees : List.of(-5L, "ten", List.of(5L, 1L), List.of(1L, 2L, 3L))) {
            assertThatThrownBy(() -> TransformFixture.of("RandomRotation", Map.of("degrees", degrees)))
                    .hasMessageContaining("'degrees': expected a number of at least 0, or [least, most] in order");
        }
        assertThatThrownBy(
                        () -> TransformFixture.of("RandomRotation", Map.of("degrees", 5L, "interpolation", "lanczos")))
                .hasMessage(
                        "'interpolation': expected one of nearest | bilinear | bicubic | nearest-exact, found 'lanczos'");
    }
}

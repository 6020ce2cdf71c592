package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.AffineParameters;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.order.ChiSquare;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RandomAffineTest {
    private static final int DRAWS = 40_000;

    static List<Row> unmoved() {
        return GeometryVectors.table("affine.csv").stream()
                .filter(row -> row.text("translate").equals("0 0"))
                .toList();
    }

    /**
     * Movements are drawn as whole numbers around 0, so options cannot fix them. WarpTest has the vectors with
     * movements.
     */
    @ParameterizedTest
    @MethodSource("unmoved")
    void pixelsForGivenParametersAreThoseOfTorchvision(Row row) throws Exception {
        double[] shear = row.reals("shear");
        Map<String, Object> options = new HashMap<>(Map.of(
                "degrees",
                List.of(row.real("angle"), row.real("angle")),
                "scale",
                List.of(row.real("scale"), row.real("scale")),
                "shear",
                List.of(shear[0], shear[0], shear[1], shear[1]),
                "interpolation",
                row.text("interpolation"),
                "fill",
                GeometryVectors.raw(row, "fill")));
        if (!row.text("center").isEmpty()) {
            options.put("center", GeometryVectors.raw(row, "center"));
        }
        Field changed = TransformFixture.of("RandomAffine", options).apply(GeometryVectors.source(row));
        assertThat(ImageVectors.sha256(changed)).isEqualTo(row.text("sha256"));
    }

    @Test
    void parametersAreUniformAndIndependent() {
        RandomAffine.Draw draw = new RandomAffine.Draw(
                new Degrees(-20, 20),
                Optional.of(new RandomAffine.Shares(0.1, 0.25)),
                Optional.of(new DrawnRange(0.5, 1.5)),
                Optional.of(RandomAffine.Shear.OPTION.parse(List.of(-5L, 5L, 10L, 30L))));
        long[] angles = new long[20];
        long[] scales = new long[20];
        long[] shearsX = new long[20];
        long[] shearsY = new long[20];
        long[] pairs = new long[16];
        long[] x = new long[21];
        long[] y = new long[21];
        SampleRandom random = new SampleRandom(3, 4);
        for (int i = 0; i < DRAWS; i++) {
            AffineParameters drawn = draw.parameters(random.reset(0, i), 40, 100);
            angles[bin(drawn.degrees(), -20, 20)]++;
            scales[bin(drawn.scale(), 0.5, 1.5)]++;
            shearsX[bin(drawn.shearX(), -5, 5)]++;
            shearsY[bin(drawn.shearY(), 10, 30)]++;
            pairs[bin(drawn.degrees(), -20, 20) / 5 * 4 + bin(drawn.scale(), 0.5, 1.5) / 5]++;
            x[drawn.translateX() + 10]++;
            y[drawn.translateY() + 10]++;
        }
        for (long[] counts : List.of(angles, scales, shearsX, shearsY, pairs)) {
            assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(counts.length - 1));
        }
        // 10 % of 100 columns and 25 % of 40 rows give -10 to 10 pixels. Rounding halves the share of both ends.
        for (long[] counts : List.of(x, y)) {
            double statistic = 0;
            for (int move = 0; move < counts.length; move++) {
                double expected = DRAWS * (move == 0 || move == 20 ? 0.5 : 1) / 20;
                statistic += (counts[move] - expected) * (counts[move] - expected) / expected;
            }
            assertThat(statistic).isLessThan(ChiSquare.bound(counts.length - 1));
        }
    }

    private static int bin(double value, double from, double to) {
        return (int) ((value - from) / (to - from) * 20);
    }

    @Test
    void optionsThatAreNotSetAreNotDrawn() {
        AffineParameters drawn = new RandomAffine.Draw(
                        new Degrees(7, 7), Optional.empty(), Optional.empty(), Optional.empty())
                .parameters(new SampleRandom(1, 1).reset(0, 0), 10, 10);
        assertThat(drawn).isEqualTo(new AffineParameters(7, 0, 0, 1, 0, 0));
    }

    @Test
    void imageAndMaskMoveTogetherAndTheParametersAreDescribed() throws Exception {
        TransformFixture affine =
                TransformFixture.of("RandomAffine", Map.of("degrees", 0L, "translate", List.of(0.5, 0.5)));
        Field mask = TransformFixture.mask(20, 30);
        Sample sample = affine.apply(Map.of("image", mask.as(FieldKind.IMAGE), "labels", mask));
        assertThat(sample.field("labels").data()).isEqualTo(sample.image().data());
        assertThat(sample.image().data()).isNotEqualTo(mask.data());
        assertThat(affine.drawn()).matches("angle 0\\.0, translate -?\\d+,-?\\d+, scale 1\\.000, shear 0\\.0,0\\.0");
    }

    @Test
    void badOptionsAreRefusedWithTheExpectedValue() {
        assertThatThrownBy(() ->
                        TransformFixture.of("RandomAffine", Map.of("degrees", 0L, "translate", List.of(0.5, 1.5))))
                .hasMessage("'translate': expected [x, y], two numbers from 0 to 1, found [0.5, 1.5]");
        assertThatThrownBy(() -> TransformFixture.of("RandomAffine", Map.of("degrees", 0L, "scale", List.of(0L, 1L))))
                .hasMessageContaining("'scale': expected [least, most], two numbers above 0 in order");
        assertThatThrownBy(
                        () -> TransformFixture.of("RandomAffine", Map.of("degrees", 0L, "shear", List.of(1L, 2L, 3L))))
                .hasMessageContaining("'shear': expected a number of at least 0, or [least, most] in order");
    }
}

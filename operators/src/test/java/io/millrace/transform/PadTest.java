package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PadTest {
    static List<Row> vectors() {
        return GeometryVectors.table("pad.csv");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void pixelsAreThoseOfTorchvision(Row row) throws Exception {
        List<Object> padding = GeometryVectors.raw(row, "padding");
        Map<String, Object> options = Map.of(
                "padding",
                padding.size() == 1 ? padding.get(0) : padding,
                "padding_mode",
                row.text("padding_mode"),
                "fill",
                GeometryVectors.raw(row, "fill"));
        Field padded = TransformFixture.of("Pad", options).apply(GeometryVectors.source(row));
        assertThat(padded.shape())
                .containsExactly(row.number("out_height"), row.number("out_width"), row.number("channels"));
        assertThat(ImageVectors.sha256(padded)).isEqualTo(row.text("sha256"));
    }

    @Test
    void maskHasItsOwnFillAndStaysAMask() throws Exception {
        Sample sample = TransformFixture.of(
                        "Pad", Map.of("padding", 1L, "fill", List.of(9L, 8L, 7L), "mask_fill", 255L))
                .apply(Map.of("image", TransformFixture.noise(4, 5, 3), "labels", TransformFixture.mask(4, 5)));
        assertThat(sample.image().data()).startsWith(9, 8, 7);
        Field mask = sample.field("labels");
        assertThat(mask.kind()).isEqualTo(FieldKind.MASK);
        assertThat(mask.shape()).containsExactly(6, 7, 1);
        assertThat(mask.data()[0]).isEqualTo((byte) 255);
        assertThat(mask.data()[8]).isEqualTo(TransformFixture.mask(4, 5).data()[0]);
    }

    @Test
    void fillOfThreeColoursAroundAGrayImageMakesABadSample() {
        TransformFixture pad = TransformFixture.of("Pad", Map.of("padding", 1L, "fill", List.of(1L, 2L, 3L)));
        assertThatThrownBy(() -> pad.apply(TransformFixture.noise(4, 5, 1)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("fill [1, 2, 3] has 3 values, but the image has 1 channel");
    }

    @Test
    void imageThatWouldBecomeTooLargeMakesABadSample() {
        TransformFixture pad = TransformFixture.of("Pad", Map.of("padding", 10_000L));
        assertThatThrownBy(() -> pad.apply(TransformFixture.noise(4, 5, 1)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("4x5, which would become 20004x20005");
    }

    @Test
    void badOptionsAreRefusedWithTheExpectedValue() {
        assertThatThrownBy(() -> TransformFixture.of("Pad", Map.of("padding", 1L, "fill", 256L)))
                .hasMessage(
                        "'fill': expected a number of 0 to 255, or a list [red, green, blue] of such numbers, found 256");
        assertThatThrownBy(() -> TransformFixture.of("Pad", Map.of("padding", 1L, "mask_fill", List.of(1L))))
                .hasMessage("'mask_fill': expected a whole number of 0 to 255, found [1]");
        assertThatThrownBy(() -> TransformFixture.of("Pad", Map.of("padding", 1L, "padding_mode", "mirror")))
                .hasMessageContaining("constant | edge | reflect | symmetric, found 'mirror'");
    }
}

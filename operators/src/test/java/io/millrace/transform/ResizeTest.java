package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.sample.Field;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ResizeTest {
    static List<Row> sizes() {
        return ImageVectors.table("resize_size.csv");
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shorterEdgeIsRoundedAsTorchvisionDoes(Row row) {
        OptionalInt limit =
                row.text("max_size").isEmpty() ? OptionalInt.empty() : OptionalInt.of(row.number("max_size"));
        Size size = new Size.Edge(row.number("size"));
        assertThat(ResizeRule.target(size, limit, row.number("height"), row.number("width")))
                .isEqualTo(new Size.Exact(row.number("out_height"), row.number("out_width")));
    }

    @Test
    void integerIsTheShorterEdgeAndAPairIsExact() throws Exception {
        Field image = TransformFixture.noise(30, 40, 3);
        assertThat(TransformFixture.of("Resize", Map.of("size", 15L))
                        .apply(image)
                        .shape())
                .containsExactly(15, 20, 3);
        Field exact = TransformFixture.of("Resize", Map.of("size", List.of(10L, 20L), "interpolation", "bicubic"))
                .apply(image);
        assertThat(exact.data())
                .isEqualTo(new Resampler(Interpolation.BICUBIC)
                        .resize(image, 10, 20)
                        .data());
    }

    @Test
    void maxSizeNeedsAnIntegerSizeBelowIt() {
        assertThatThrownBy(() -> TransformFixture.of("Resize", Map.of("size", List.of(8L, 9L), "max_size", 20L)))
                .hasMessageContaining("max_size requires an integer size");
        assertThatThrownBy(() -> TransformFixture.of("Resize", Map.of("size", 20L, "max_size", 20L)))
                .hasMessage("max_size must be greater than size, found max_size 20 and size 20");
    }

    @Test
    void imageThatWouldBecomeEmptyOrTooLargeMakesABadSample() {
        TransformFixture resize = TransformFixture.of("Resize", Map.of("size", 200L));
        assertThatThrownBy(() -> resize.apply(TransformFixture.noise(1, 100, 1)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("1x100, which would become 200x20000");
    }

    @Test
    void badSizesAreRefusedWithTheExpectedValue() {
        for (Object size : List.of(0L, 20000L, "big", List.of(1L, 2L, 3L), 1.5)) {
            assertThatThrownBy(() -> TransformFixture.of("Resize", Map.of("size", size)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'size': expected an integer or [height, width]");
        }
    }
}

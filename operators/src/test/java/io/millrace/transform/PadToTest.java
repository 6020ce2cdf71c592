package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.ChiSquare;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PadToTest {
    @ParameterizedTest
    @CsvSource({"center,1,2", "top_left,0,0", "top_right,0,5", "bottom_left,3,0", "bottom_right,3,5"})
    void imageIsPutAtItsPosition(String position, int top, int left) throws Exception {
        Field image = TransformFixture.noise(4, 6, 3);
        Field padded = TransformFixture.of(
                        "PadTo", Map.of("size", List.of(7L, 11L), "position", position, "fill", List.of(50L, 60L, 70L)))
                .apply(image);
        assertThat(padded.shape()).containsExactly(7, 11, 3);
        for (int row = 0; row < 7; row++) {
            for (int column = 0; column < 11; column++) {
                boolean inside = row >= top && row < top + 4 && column >= left && column < left + 6;
                for (int channel = 0; channel < 3; channel++) {
                    int expected =
                            inside ? image.data()[((row - top) * 6 + column - left) * 3 + channel] : 50 + 10 * channel;
                    assertThat((int) padded.data()[(row * 11 + column) * 3 + channel])
                            .isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void randomPositionsAreUniform() throws Exception {
        TransformFixture pad = TransformFixture.of("PadTo", Map.of("size", List.of(8L, 6L), "position", "random"));
        long[] counts = new long[7 * 4];
        for (int draw = 0; draw < 14_000; draw++) {
            pad.apply(TransformFixture.noise(2, 3, 1));
            String[] place = pad.drawn().substring("at ".length()).split(",", -1);
            counts[Integer.parseInt(place[0]) * 4 + Integer.parseInt(place[1])]++;
        }
        assertThat(ChiSquare.uniform(counts)).isLessThan(ChiSquare.bound(counts.length - 1));
    }

    @Test
    void imageAndMaskArePutAtTheSamePlace() throws Exception {
        Field mask = TransformFixture.mask(3, 3);
        Sample sample = TransformFixture.of("PadTo", Map.of("size", 4L, "position", "bottom_right", "mask_fill", 200L))
                .apply(Map.of("image", TransformFixture.noise(3, 3, 3), "labels", mask));
        assertThat(sample.field("labels").data()).startsWith(200, 200, 200, 200, 200);
        assertThat(sample.field("labels").data()[5]).isEqualTo(mask.data()[0]);
    }

    @Test
    void largerImageMakesABadSampleWithAdvice() {
        TransformFixture pad = TransformFixture.of("PadTo", Map.of("size", 8L));
        assertThatThrownBy(() -> pad.apply(TransformFixture.noise(4, 9, 3)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("PadTo expected an image of at most 8x8, found 4x9; Resize with max_size");
    }
}

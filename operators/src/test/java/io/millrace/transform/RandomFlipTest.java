package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.image.PixelOps;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RandomFlipTest {
    @ParameterizedTest
    @ValueSource(strings = {"RandomHorizontalFlip", "RandomVerticalFlip"})
    void appliesWithItsProbability(String name) throws Exception {
        TransformFixture flip = TransformFixture.of(name, Map.of("p", 0.3));
        int draws = 20_000;
        int flipped = 0;
        for (int draw = 0; draw < draws; draw++) {
            flip.apply(TransformFixture.noise(1, 1, 3));
            flipped += flip.drawn().equals("flipped") ? 1 : 0;
        }
        // The bound is four standard deviations.
        assertThat((double) flipped / draws).isCloseTo(0.3, within(4 * Math.sqrt(0.3 * 0.7 / draws)));
    }

    @Test
    void imagesAreMirroredWithProbability1AndNeverWithProbability0() throws Exception {
        Field columns = TransformFixture.noise(5, 6, 3);
        PixelOps.mirrorColumns(columns);
        assertThat(flipped("RandomHorizontalFlip", 1L).data()).isEqualTo(columns.data());
        Field rows = TransformFixture.noise(5, 6, 3);
        PixelOps.mirrorRows(rows);
        assertThat(flipped("RandomVerticalFlip", 1L).data()).isEqualTo(rows.data());
        assertThat(flipped("RandomVerticalFlip", 0L).data())
                .isEqualTo(TransformFixture.noise(5, 6, 3).data());
    }

    @Test
    void probabilityOverOneIsRefused() {
        assertThatThrownBy(() -> TransformFixture.of("RandomHorizontalFlip", Map.of("p", 1.5)))
                .hasMessage("'p': expected a number from 0 to 1, found 1.5");
    }

    private static Field flipped(String name, long probability) throws Exception {
        return TransformFixture.of(name, Map.of("p", probability)).apply(TransformFixture.noise(5, 6, 3));
    }

    @Test
    void imagesAndMasksAreMirroredTogether() throws Exception {
        TransformFixture flip = TransformFixture.of("RandomHorizontalFlip", Map.of());
        for (int draw = 0; draw < 20; draw++) {
            Field mask = TransformFixture.mask(5, 6);
            Sample sample =
                    flip.apply(Map.of("image", TransformFixture.mask(5, 6).as(FieldKind.IMAGE), "labels", mask));
            assertThat(sample.field("labels").kind()).isEqualTo(FieldKind.MASK);
            assertThat(sample.image().data()).isEqualTo(sample.field("labels").data());
        }
    }
}

package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SampleUnitTest {
    private static final Field NUMBERS = Field.of(DType.UINT8, new int[] {2}, new byte[2]);

    private static Sample with(String name, Field field) {
        return new Sample(0, "a", 0).put("numbers", NUMBERS).put(name, field);
    }

    @Test
    void aFieldOfImagesDecides() {
        Field image = Field.encoded(new byte[3]);
        assertThat(SampleUnit.of(with("photo", image), false)).isEqualTo(SampleUnit.IMAGES);
        assertThat(SampleUnit.of(with("photo", image), true)).isEqualTo(SampleUnit.IMAGES);
    }

    @Test
    void withoutImagesTheFormatDecides() {
        assertThat(SampleUnit.of(with("image", NUMBERS), true)).isEqualTo(SampleUnit.ROWS);
        assertThat(SampleUnit.of(with("image", NUMBERS), false)).isEqualTo(SampleUnit.SAMPLES);
        assertThat(SampleUnit.of(with("mask", Field.image(1, 1, 1, new byte[1]).as(FieldKind.MASK)), false))
                .isEqualTo(SampleUnit.SAMPLES);
    }

    @Test
    void throughputsHaveTheWord() {
        assertThat(SampleUnit.ROWS.perSecond()).isEqualTo("rows/s");
    }
}

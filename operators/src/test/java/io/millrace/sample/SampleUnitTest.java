package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @Test
    void throughputsOfSequencesHaveTheirTokens() {
        assertThat(SampleUnit.IMAGES.rate(14_520.4)).isEqualTo("14,520 images/s");
        assertThat(SampleUnit.sequences(8_000.5).rate(12.26)).isEqualTo("12.3 sequences/s, 98,086 tokens/s");
        assertThat(SampleUnit.sequences(10).rate("about 3", 3.2)).isEqualTo("about 3 sequences/s, 32 tokens/s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"images", "rows", "samples", "sequences 8000.5"})
    void textsAreThoseOfTheSameUnit(String text) {
        assertThat(SampleUnit.parse(text).text()).isEqualTo(text);
    }

    @Test
    void unitsOfOtherVersionsAreSamples() {
        assertThat(SampleUnit.parse("IMAGES")).isEqualTo(SampleUnit.IMAGES);
        assertThat(SampleUnit.parse("sequences many")).isEqualTo(SampleUnit.SAMPLES);
        assertThat(SampleUnit.parse("videos")).isEqualTo(SampleUnit.SAMPLES);
    }
}

package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScalarsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"no", "on", "yes", "off", "1_000", "0123", "12:30", "2026-11-20", "1e", "e5", "+", ".", "0x1F"})
    void textOfYaml12StaysText(String word) {
        assertThat(Scalars.resolve(word)).isEqualTo(word);
    }

    @Test
    void numbersAreReadWithAndWithoutAPointAndExponent() {
        assertThat(Scalars.resolve("12")).isEqualTo(12L);
        assertThat(Scalars.resolve("-0")).isEqualTo(0L);
        assertThat(Scalars.resolve("+7")).isEqualTo(7L);
        assertThat(Scalars.resolve("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThat(Scalars.resolve("9223372036854775808")).isEqualTo(0x1p63);
        assertThat(Scalars.resolve("1e-3")).isEqualTo(0.001);
        assertThat(Scalars.resolve("1.5E+2")).isEqualTo(150.0);
        assertThat(Scalars.resolve(".5")).isEqualTo(0.5);
        assertThat(Scalars.resolve("2.")).isEqualTo(2.0);
    }

    @Test
    void wordsOfTheSchemaHaveTheirMeaning() {
        assertThat(Scalars.resolve("")).isNull();
        assertThat(Scalars.resolve("~")).isNull();
        assertThat(Scalars.resolve("null")).isNull();
        assertThat(Scalars.resolve("true")).isEqualTo(true);
        assertThat(Scalars.resolve("False")).isEqualTo(false);
        assertThat(Scalars.resolve("-.inf")).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(Scalars.resolve(".nan")).isEqualTo(Double.NaN);
    }
}

package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountedTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1|epoch|1 epoch",
                "0|step|0 steps",
                "2814|step|2,814 steps",
                "10|class|10 classes",
                "3|batch|3 batches",
                "3|epoch|3 epochs"
            })
    void nounAgreesWithTheNumber(long number, String noun, String text) {
        assertThat(Counted.of(number, noun)).isEqualTo(text);
    }
}

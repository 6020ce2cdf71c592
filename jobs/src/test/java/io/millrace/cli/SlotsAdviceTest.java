package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotsAdviceTest {
    @Test
    void manySlotsForEachCoreAreSaid() {
        assertThat(SlotsAdvice.of(32, 2)).isEmpty();
        assertThat(SlotsAdvice.of(500, 2)).hasValueSatisfying(advice -> assertThat(advice)
                .startsWith("parallelism is 500, and this machine has 2 cores: "));
        assertThat(SlotsAdvice.of(17, 1))
                .hasValueSatisfying(advice -> assertThat(advice).contains("1 core:"));
    }
}

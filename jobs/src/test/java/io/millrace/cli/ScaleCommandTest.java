package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.run.RescaleRequest;
import io.millrace.run.UsageException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleCommandTest {
    @Test
    void stagesBecomeSettingsOfThePipeline() {
        assertThat(RescaleRequest.settings(List.of("decode=8", "parallelism=6"), Set.of("read", "decode")))
                .containsExactly("stages.decode=8", "parallelism=6");
    }

    @Test
    void aNumberAloneIsRefusedWithTheSettingOfAllStages() {
        assertThatThrownBy(() -> RescaleRequest.settings(List.of("2"), Set.of("read", "decode")))
                .isInstanceOf(UsageException.class)
                .hasMessage(
                        "expected a stage and its parallelism, for example decode=8, or parallelism=2 for all stages;"
                                + " found '2'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"decode", "decode=", "decode=0", "decode=x", "decode=99999", "=3", "resize=3"})
    void unknownStagesAndInvalidNumbersAreRefused(String text) {
        assertThatThrownBy(() -> RescaleRequest.settings(List.of(text), Set.of("read", "decode")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("expected");
    }
}

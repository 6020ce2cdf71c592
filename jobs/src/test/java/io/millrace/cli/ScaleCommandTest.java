package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.report.JobTasks;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleCommandTest {
    private static final JobTasks FUSED = new JobTasks(
            "RUNNING",
            0,
            List.of(
                    new JobTasks.Vertex("a", "Source: read -> decode -> pack", 4, Map.of()),
                    new JobTasks.Vertex("b", "train", 1, Map.of())));

    @Test
    void wholeChainCanBeRescaledAsItRuns() {
        assertThat(ScaleCommand.bounds(FUSED, Map.of("read", 6, "decode", 6, "pack", 6)))
                .isEqualTo(Map.of("a", 6));
    }

    @Test
    void stageThatLeavesItsChainNeedsAnotherGraph() {
        assertThat(ScaleCommand.bounds(FUSED, Map.of("read", 4, "decode", 8, "pack", 4)))
                .isEmpty();
    }

    @Test
    void stagesBecomeSettingsOfThePipeline() {
        assertThat(Wanted.settings(List.of("decode=8", "parallelism=6"), Set.of("read", "decode")))
                .containsExactly("stages.decode=8", "parallelism=6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"decode", "decode=", "decode=0", "decode=x", "decode=99999", "=3", "resize=3"})
    void whatIsNoStageOrNoNumberIsRefused(String text) {
        assertThatThrownBy(() -> Wanted.settings(List.of(text), Set.of("read", "decode")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("expected");
    }
}

package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobTasksTest {
    private static final JobTasks FUSED = new JobTasks(
            "RUNNING",
            0,
            List.of(
                    new JobTasks.Vertex("a", "Source: read -> decode -> pack", 4, Map.of()),
                    new JobTasks.Vertex("b", "train", 1, Map.of())));

    @Test
    void wholeChainCanBeRescaledWhileItRuns() {
        assertThat(FUSED.bounds(Map.of("read", 6, "decode", 6, "pack", 6))).isEqualTo(Map.of("a", 6));
    }

    @Test
    void evaluationIsRescaledWithTheTrainingAndItsSinkIsNoConsumerOfTheTraining() {
        JobTasks served = new JobTasks(
                "RUNNING",
                0,
                List.of(
                        new JobTasks.Vertex("e", "Source: evaluation: read -> evaluation: pack", 4, Map.of()),
                        new JobTasks.Vertex("f", "evaluation: deliver", 1, Map.of()),
                        new JobTasks.Vertex("a", "Source: read -> pack", 4, Map.of()),
                        new JobTasks.Vertex("b", "deliver", 1, Map.of())));
        assertThat(served.bounds(Map.of("read", 2, "pack", 2))).isEqualTo(Map.of("a", 2, "e", 2));
        assertThat(served.consumer()).map(JobTasks.Vertex::id).contains("b");
        assertThat(served.evaluation()).map(JobTasks.Vertex::id).contains("f");
    }

    @Test
    void stageThatLeavesItsChainNeedsAnotherGraph() {
        assertThat(FUSED.bounds(Map.of("read", 4, "decode", 8, "pack", 4))).isEmpty();
    }
}

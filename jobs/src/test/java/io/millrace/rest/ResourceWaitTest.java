package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipeline.SlotRequirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourceWaitTest {
    private static JobTasks job(String state, Map<String, Integer> read, Map<String, Integer> train) {
        return new JobTasks(
                state,
                0,
                List.of(
                        new JobTasks.Vertex("a", "Source: read -> decode -> pack", 4, read),
                        new JobTasks.Vertex("b", "train", 1, train)));
    }

    @Test
    void jobWithoutSlotsNamesTheSlotsOfTheCluster() {
        List<TaskManagerReading> managers = List.of(
                new TaskManagerReading("tm-1", 2, 1, Map.of("gpu", 1.0), Map.of("gpu", 0.0)),
                new TaskManagerReading("tm-2", 2, 0, Map.of(), Map.of()));
        assertThat(ResourceWait.sentence(
                        job("RUNNING", Map.of("SCHEDULED", 4, "RUNNING", 0), Map.of("SCHEDULED", 1)),
                        SlotRequirement.anywhere(4),
                        managers))
                .hasValue(
                        "the job waits for 4 slots: the cluster has 4 in 2 TaskManagers, 1 free; gpu: 1 in all, 0 free");
    }

    @Test
    void deviceThatNoTaskManagerOffersIsNamed() {
        List<TaskManagerReading> managers =
                List.of(new TaskManagerReading("tm-1", 2, 2, Map.of("data", 2.0), Map.of("data", 2.0)));
        assertThat(ResourceWait.sentence(
                        job("RUNNING", Map.of("SCHEDULED", 2), Map.of("SCHEDULED", 1)),
                        new SlotRequirement(3, Map.of("gpu", 1, "data", 2)),
                        managers))
                .hasValue("the job waits for 3 slots (data: 2, gpu: 1): the cluster has 2 in 1 TaskManager, 2 free;"
                        + " data: 2 in all, 2 free; gpu: none");
    }

    @Test
    void clusterWithoutTaskManagersHasASentenceOfItsOwn() {
        assertThat(ResourceWait.sentence(new JobTasks("CREATED", 0, List.of()), SlotRequirement.anywhere(1), List.of()))
                .hasValue("the job waits for 1 slot: the cluster has no TaskManager");
    }

    @Test
    void restartingJobWaitsIfTheClusterHasTooFewSlots() {
        JobTasks restarting = job("RESTARTING", Map.of("CANCELED", 3, "FAILED", 1), Map.of("CANCELED", 1));
        List<TaskManagerReading> managers = List.of(new TaskManagerReading("tm-1", 4, 4, Map.of(), Map.of()));
        assertThat(ResourceWait.sentence(restarting, SlotRequirement.anywhere(5), managers))
                .hasValue("the job waits for 5 slots: the cluster has 4 in 1 TaskManager, 4 free");
        assertThat(ResourceWait.sentence(restarting, SlotRequirement.anywhere(4), managers))
                .isEmpty();
    }

    @Test
    void jobWhoseTasksBeginDoesNotWait() {
        assertThat(ResourceWait.sentence(
                        job("RUNNING", Map.of("SCHEDULED", 3, "DEPLOYING", 1), Map.of("SCHEDULED", 1)),
                        SlotRequirement.anywhere(4),
                        List.of()))
                .isEmpty();
    }

    @Test
    void jobThatEndedDoesNotWait() {
        assertThat(ResourceWait.sentence(
                        job("FAILED", Map.of("CREATED", 4), Map.of("CREATED", 1)),
                        SlotRequirement.anywhere(4),
                        List.of()))
                .isEmpty();
    }

    @Test
    void vertexHasTheStagesOfItsChain() {
        assertThat(job("RUNNING", Map.of(), Map.of()).vertices().get(0).stages())
                .containsExactly("read", "decode", "pack");
    }
}

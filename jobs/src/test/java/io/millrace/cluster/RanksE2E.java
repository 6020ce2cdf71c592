package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SlowTraining;
import io.millrace.pipeline.UnevenDelay;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Replicas in TaskManagers of their own. They train the same model as replicas in one process. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class RanksE2E {
    private static final int EPOCHS = 2;
    private static final int DELAY_MILLIS = 100;
    private static final String SHARED_MEMORY = "processes of one host, through shared memory";
    static final String RING = "processes of several hosts, through a ring of connections";

    /** Another user name. Ranks share memory only with ranks of the same user, so this TaskManager counts as another host. */
    private static final ProcessOptions ELSEWHERE =
            new ProcessOptions(Map.of(), List.of("-Duser.name=elsewhere"), Map.of(), List.of());

    @TempDir
    Path folder;

    /** Trains through shared memory, and after a {@code kill -9} from the checkpoint through a ring of connections. */
    @Test
    void killedTaskManagerOfOneOfTwoRanksLeavesNoTrace() throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS, "ranks: 2\nreplicas: sync");
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline = training.held(
                "ranks", DELAY_MILLIS, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        var settings = TestCluster.settings("elastic").with(Map.of("taskmanager.numberOfTaskSlots", "1"));
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), ClusterStart.of(settings, 2))) {
            List<ClusterProcess> before = cluster.taskManagers();
            ClusterJob job =
                    ClusterJob.submit(cluster, UnevenDelay.programs(folder), pipeline, folder.resolve("ranks.json"));
            cluster.await("a checkpoint", () -> job.latestCheckpoint(checkpoints) > 0);
            for (ClusterProcess process : before) {
                assertThat(process.log()).content().contains(SHARED_MEMORY);
            }

            before.get(1).kill();
            assertThat(job.isDone()).as("the end of the job before the kill").isFalse();
            cluster.cluster().forgetDead();
            ClusterProcess added = cluster.add(ELSEWHERE);
            training.release();
            JsonNode summary = job.await();

            assertThat(summary.required("restarts").asInt()).isPositive();
            assertThat(added.log()).content().contains(RING);
            assertThat(before.get(0).log()).content().contains(RING);
            training.requireUndisturbed(job.run(), summary);
        }
    }
}

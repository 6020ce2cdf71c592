package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.ProcessOptions;
import io.millrace.cluster.TestCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A training run on machines that are not alike: what it waits for, where its stages go, and another number of them. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(300)
class PlacementE2E {
    private static final int EPOCHS = 2;
    private static final int DELAY_MILLIS = 25;
    private static final long STEPS_BEFORE = 10;

    @TempDir
    Path folder;

    @Test
    void trainerGoesToTheGpuAndTheRestToDataServersAlsoWhenThereAreMore() throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        Path pipeline = training.pipeline("placed", DELAY_MILLIS, """
                placement: { trainer: gpu, data: data, cores: 1, heap: 150MiB }
                checkpoint: { interval: 1s }
                """);
        ClientProcess programs = new ClientProcess(folder);
        try (TestCluster cluster =
                TestCluster.start(folder.resolve("cluster"), ClusterStart.of(TestCluster.settings("gpu"), 2))) {
            ClientProcess.Ended submitted = programs.millrace(
                    "train",
                    pipeline.toString(),
                    "--set",
                    "parallelism=2",
                    "--cluster",
                    cluster.address(),
                    "--detach",
                    "--json");
            ClusterJob job = ClusterJob.told(cluster, submitted);
            assertThat(submitted.err())
                    .contains("the job waits for 3 slots (data: 2, gpu: 1)", "data: 4 there", "gpu: none there");

            ClusterProcess gpu = cluster.add(ProcessOptions.flink(Map.of(
                    "external-resources", "gpu",
                    "external-resource.gpu.amount", "1",
                    "taskmanager.numberOfTaskSlots", "1")));
            cluster.await("some steps", () -> job.stepsWritten() >= STEPS_BEFORE);
            requireApart(cluster, job, gpu);

            ClientProcess.Ended scaled =
                    programs.millrace("scale", job.id(), "decode=4", "--cluster", cluster.address(), "--json");
            assertThat(scaled.exitCode()).as("%s", scaled).isZero();
            JsonNode told = SlowTraining.json(scaled.out().lines().reduce("", (first, second) -> second));
            assertThat(told.required("how").asText()).isEqualTo("resubmitted");
            ClusterJob wider = job.under(told.required("job").asText());
            requireApart(cluster, wider, gpu);
            assertThat(wider.parallelism("decode")).isEqualTo(4);

            assertThat(job.summary()).as("the summary before the end").isEmpty();
            training.requireQuiet(wider.run(), wider.await());
        }
    }

    private static void requireApart(TestCluster cluster, ClusterJob job, ClusterProcess gpu) throws Exception {
        cluster.await(
                "the job's tasks to run",
                () -> !job.places("train").isEmpty() && !job.places("read").isEmpty());
        assertThat(job.places("train")).containsExactly(gpu);
        List<ClusterProcess> servers = cluster.taskManagers().stream()
                .filter(process -> !process.equals(gpu))
                .toList();
        assertThat(job.places("read")).isNotEmpty().isSubsetOf(servers);
    }
}

package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.RunHistory;
import io.millrace.cli.SlotSpeeds;
import io.millrace.cli.SlowTraining;
import io.millrace.pipeline.UnevenDelay;
import io.millrace.served.ClientProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs on unlike machines: stages with resource placement, another parallelism, and one slow machine. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class UnlikeMachinesE2E {
    private static final Logger LOG = LoggerFactory.getLogger(UnlikeMachinesE2E.class);
    private static final int EPOCHS = 2;
    private static final long STEPS_BEFORE = 5;

    private static final int DATA_SLOTS = 5;
    /** The rows of 64 x 64 x 3 bytes in Flink's network buffers of 32 KiB: two per slot and eight shared, on both sides. */
    private static final int ROWS_IN_BUFFERS = 2 * (2 * 5 + 8) * 32_768 / (64 * 64 * 3);

    private static final int SLOWNESS = 10;
    private static final int RANGE = 8;
    private static final int WINDOW = 33;
    private static final int BATCH = 32;
    private static final int STEPS = 160;

    /** The steps after which the source knows which slot is slow. */
    private static final int STEPS_TO_LEARN = 40;

    /** The smallest allowed share of the slots' total speed. In a simulation the share is over 0.95. */
    private static final double LEAST_SHARE = 0.85;

    @TempDir
    Path folder;

    @Test
    void stagesRunWhereTheirResourcesAreAtAnyParallelism() throws Exception {
        try (TestCluster cluster =
                TestCluster.start(folder.resolve("cluster"), ClusterStart.of(TestCluster.settings("gpu"), 2))) {
            placedRunEqualsTheUndisturbedOne(cluster, UnevenDelay.programs(folder));
        }
    }

    @Test
    void slowMachineCostsOnlyItsShareAndMemoryStaysBounded() throws Exception {
        try (TestCluster cluster =
                TestCluster.start(folder.resolve("cluster"), ClusterStart.of(TestCluster.settings("local"), 2))) {
            cluster.add(new ProcessOptions(
                    Map.of("taskmanager.numberOfTaskSlots", "1"),
                    List.of("-D" + UnevenDelay.SLOWNESS + "=" + SLOWNESS),
                    Map.of(),
                    List.of()));
            slowMachineCostsItsShare(cluster, UnevenDelay.programs(folder));
        }
    }

    private void placedRunEqualsTheUndisturbedOne(TestCluster cluster, ClientProcess programs) throws Exception {
        SlowTraining training = new SlowTraining(folder, EPOCHS);
        Path pipeline = training.held("placed", 200, """
                placement: { trainer: gpu, data: data, cores: 1, heap: 150MiB }
                checkpoint: { interval: 1s }
                """);
        ClientProcess.Ended submitted = programs.millrace(
                "train",
                pipeline.toString(),
                "--set",
                "parallelism=2",
                "--cluster",
                cluster.address(),
                "--detach",
                "--json");
        ClusterJob job = ClusterJob.submittedBy(cluster, submitted);
        assertThat(submitted.err())
                .contains("the job waits for 3 slots (data: 2, gpu: 1)", "data: 4 in all", "gpu: none");

        ClusterProcess gpu = cluster.add(ProcessOptions.flink(Map.of(
                "external-resources", "gpu",
                "external-resource.gpu.amount", "1",
                "taskmanager.numberOfTaskSlots", "1")));
        cluster.await("some steps", () -> job.stepsWritten() >= STEPS_BEFORE);
        requireApart(cluster, job, gpu);

        ClientProcess.Ended scaled =
                programs.millrace("scale", job.id(), "decode=4", "--cluster", cluster.address(), "--json");
        assertThat(scaled.exitCode()).as("%s", scaled).isZero();
        JsonNode result = SlowTraining.json(scaled.out().lines().reduce("", (first, second) -> second));
        assertThat(result.required("how").asText()).isEqualTo("resubmitted");
        LOG.info("scaled by savepoint: {} s without training", result.required("pause_s"));
        ClusterJob wider = job.under(result.required("job").asText());
        requireApart(cluster, wider, gpu);
        assertThat(wider.parallelism("decode")).isEqualTo(4);
        training.release();
        training.requireUndisturbed(wider.run(), wider.await());
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

    private void slowMachineCostsItsShare(TestCluster cluster, ClientProcess programs) throws Exception {
        Path pipeline = Files.writeString(folder.resolve("uneven.yaml"), """
                name: uneven
                dataset: { format: synthetic, size: %d, shape: [64, 64, 3] }
                transforms: [ UnevenDelay: { ms: 10 } ]
                parallelism: %d
                read: { range: %d, window: %d }
                batch: { size: %d }
                train: { model: none }
                checkpoint: { interval: 500ms }
                run: { folder: %s, web_port: 0 }
                """.formatted(
                        STEPS * BATCH, DATA_SLOTS, RANGE, WINDOW, BATCH, folder.resolve("uneven")));
        ClusterJob job = ClusterJob.submit(cluster, programs, pipeline, folder.resolve("uneven.json"));
        SlotSpeeds[] latest = new SlotSpeeds[1];
        cluster.await("the end of the uneven run", () -> {
            SlotSpeeds.read(cluster.web(), job.id(), "UnevenDelay", DATA_SLOTS).ifPresent(speeds -> latest[0] = speeds);
            return job.isDone();
        });
        assertThat(latest[0]).isNotNull();
        double reached = new RunHistory(job.run()).samplesPerSecond(STEPS_TO_LEARN);
        LOG.info(String.format(
                Locale.ROOT,
                "one slot of %d slower: %s, together %.1f samples/s; reached %.1f, %.3f of it; at most %d rows waited",
                DATA_SLOTS,
                latest[0].samplesPerSecond(),
                latest[0].sum(),
                reached,
                reached / latest[0].sum(),
                latest[0].mostWaitingRows()));
        assertThat(latest[0].slowest()).isLessThan(latest[0].fastest() / (SLOWNESS / 2.0));
        assertThat(reached / latest[0].sum()).isGreaterThan(LEAST_SHARE);
        assertThat(latest[0].mostWaitingRows())
                .isPositive()
                .isLessThanOrEqualTo((WINDOW + 1) * RANGE + DATA_SLOTS * BATCH + ROWS_IN_BUFFERS);
    }
}

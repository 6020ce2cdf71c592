package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SlowTraining;
import io.millrace.pipeline.UnevenDelay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TaskManagers on two machines that temporarily lose the connection to all others, or only to each other. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class CutNetworkE2E {
    private static final Logger LOG = LoggerFactory.getLogger(CutNetworkE2E.class);
    private static final int EPOCHS = 4;
    private static final int DELAY_MILLIS = 150;

    /** The retries of TCP, after which a connection without a response is closed; these take 3 s. */
    private static final int RETRIES = 3;

    @TempDir
    Path folder;

    private Optional<TestNetwork> made = Optional.empty();
    private final List<ClusterProcess> machines = new ArrayList<>();

    @BeforeEach
    void makeNetwork() throws Exception {
        made = TestNetwork.open();
        assumeTrue(made.isPresent(), "networks to cut need root and ip, of the package iproute2");
    }

    @AfterEach
    void removeNetwork() throws Exception {
        if (made.isPresent()) {
            made.get().close();
        }
    }

    /** Returns the shipped settings with one slot for each TaskManager. */
    private static ClusterSettings settings(TestNetwork network) throws Exception {
        String ours = network.address();
        return TestCluster.settings("elastic")
                .with(Map.of(
                        "taskmanager.numberOfTaskSlots", "1",
                        "jobmanager.rpc.address", ours,
                        "jobmanager.bind-host", ours,
                        "rest.address", ours,
                        "rest.bind-address", ours));
    }

    private interface Accidents {
        void happen(TestCluster cluster, ClusterJob job, Path checkpoints) throws Exception;
    }

    /** Trains on both machines in spite of accidents, and compares the run with the undisturbed one. */
    private JsonNode train(SlowTraining training, Accidents accidents) throws Exception {
        TestNetwork network = made.orElseThrow();
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline =
                training.held("cut", DELAY_MILLIS, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        try (TestCluster cluster =
                TestCluster.start(folder.resolve("cluster"), ClusterStart.of(settings(network), 0))) {
            machines.add(cluster.add(network.taskManager(0)));
            machines.add(cluster.add(network.taskManager(1)));
            ClusterJob job =
                    ClusterJob.submit(cluster, UnevenDelay.programs(folder), pipeline, folder.resolve("cut.json"));
            accidents.happen(cluster, job, checkpoints);
            assertThat(machines).allMatch(ClusterProcess::isAlive);
            training.release();
            JsonNode summary = job.await();
            training.requireUndisturbed(job.run(), summary);
            return summary;
        }
    }

    @Test
    void isolatedTrainerAndDataServerLeaveNoTrace() throws Exception {
        train(new SlowTraining(folder, EPOCHS), (cluster, job, checkpoints) -> {
            cutOff(cluster, job, checkpoints, "trainer");
            cutOff(cluster, job, checkpoints, "data server");
        });
    }

    /** Isolates a machine until training continues without it, and waits until it has returned to the cluster. */
    private void cutOff(TestCluster cluster, ClusterJob job, Path checkpoints, String kind) throws Exception {
        TestNetwork network = made.orElseThrow();
        awaitBoth(cluster, job, checkpoints);
        ClusterProcess process = kind.equals("trainer") ? job.awaitTrainer() : job.awaitDataServer();
        Object file = job.stepsFile();
        long start = System.nanoTime();
        network.unplug(machines.indexOf(process));
        cluster.await("a restart without the " + kind, () -> !job.stepsFile().equals(file));
        long restored = job.stepsWritten();
        cluster.await("steps without the " + kind, () -> job.stepsWritten() > restored);
        LOG.info("the {} is alone: training again after {} s, from step {}", kind, seconds(start), restored);
        assertThat(process.isAlive()).as("the isolated process is alive").isTrue();
        network.plug(machines.indexOf(process));
        cluster.awaitSlots(2);
        LOG.info("the {} is back {} s after it was cut off", kind, seconds(start));
    }

    /** Waits until the job runs on both machines and has completed checkpoints there. */
    private static void awaitBoth(TestCluster cluster, ClusterJob job, Path checkpoints) throws Exception {
        cluster.await("tasks on both machines", () -> job.dataServer().isPresent());
        long before = job.latestCheckpoint(checkpoints);
        cluster.await("a checkpoint of both machines", () -> job.latestCheckpoint(checkpoints) > before + 1);
    }

    @Test
    void taskManagersContinueWhenTheyReachEachOtherAgain() throws Exception {
        TestNetwork network = made.orElseThrow();
        network.giveUpConnectionsAfter(RETRIES);

        JsonNode summary = train(new SlowTraining(folder, EPOCHS), (cluster, job, checkpoints) -> {
            awaitBoth(cluster, job, checkpoints);
            Object file = job.stepsFile();
            long start = System.nanoTime();
            network.part();
            cluster.await("a restart", () -> !job.stepsFile().equals(file));
            LOG.info("the machines are parted: the job restarted after {} s", seconds(start));
            network.join();
            long steps = job.stepsWritten();
            cluster.await("steps of both again", () -> job.stepsWritten() > steps);
            LOG.info("training again {} s after they were parted", seconds(start));
        });

        assertThat(summary.required("restarts").asInt()).isPositive();
    }

    /** The ranks communicate over the network that is cut. The job waits until both can be reached. */
    @Test
    void separatedReplicasLeaveNoTrace() throws Exception {
        TestNetwork network = made.orElseThrow();
        SlowTraining training = new SlowTraining(folder, EPOCHS, "ranks: 2\nreplicas: sync");

        JsonNode summary = train(training, (cluster, job, checkpoints) -> {
            cluster.await("a checkpoint", () -> job.latestCheckpoint(checkpoints) > 0);
            network.unplug(1);
            cluster.awaitSlots(1);
            network.plug(1);
            cluster.awaitSlots(2);
        });

        assertThat(summary.required("restarts").asInt()).isPositive();
        assertThat(machines)
                .allSatisfy(machine -> assertThat(machine.log()).content().contains(RanksE2E.RING));
    }

    private static String seconds(long start) {
        return String.format(Locale.ROOT, "%.1f", (System.nanoTime() - start) / 1e9);
    }
}

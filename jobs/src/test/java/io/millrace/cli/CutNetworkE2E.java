package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ClusterSettings;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.ProcessOptions;
import io.millrace.cluster.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TaskManagers that are alone for a while, or whose clock jumps. Minutes long: with {@code -Dmillrace.chaos=true}. */
@EnabledOnOs(OS.LINUX)
@EnabledIfSystemProperty(named = "millrace.chaos", matches = "true")
@Timeout(400)
class CutNetworkE2E {
    private static final Logger LOG = LoggerFactory.getLogger(CutNetworkE2E.class);
    private static final String NAMESPACE = "millrace-test";
    private static final String OURS = "10.77.0.1";
    private static final String THEIRS = "10.77.0.2";
    private static final int CUTS = 3;
    private static final Path FAKE_TIME = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    private static final ProcessOptions FAR = new ProcessOptions(
            Map.of("taskmanager.host", THEIRS, "taskmanager.bind-host", THEIRS),
            List.of(),
            Map.of(),
            List.of("ip", "netns", "exec", NAMESPACE));

    @TempDir
    Path folder;

    private boolean namespace;

    @AfterEach
    void removeNamespace() throws Exception {
        if (namespace) {
            run("ip", "netns", "del", NAMESPACE);
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private static void require(String command) throws Exception {
        assertThat(run(command.split(" "))).as(command).isZero();
    }

    private static ClusterSettings settings(Map<String, String> more) throws Exception {
        return TestCluster.settings("elastic")
                .with(Map.of(
                        "taskmanager.numberOfTaskSlots",
                        "1",
                        "restart-strategy.exponential-delay.attempts-before-reset-backoff",
                        "100"))
                .with(more);
    }

    /** Makes a network with another host in it; settings of a cluster whose JobManager is on this one. */
    private ClusterSettings ofTwoHosts() throws Exception {
        assumeTrue(
                Files.exists(Path.of("/usr/sbin/ip")) && run("ip", "netns", "add", NAMESPACE) == 0,
                "a network of its own needs the right to make one");
        namespace = true;
        require("ip link add millrace0 type veth peer name millrace1 netns " + NAMESPACE);
        require("ip addr add " + OURS + "/30 dev millrace0");
        require("ip link set millrace0 up");
        require("ip -n " + NAMESPACE + " addr add " + THEIRS + "/30 dev millrace1");
        require("ip -n " + NAMESPACE + " link set millrace1 up");
        require("ip -n " + NAMESPACE + " link set lo up");
        return settings(Map.of(
                "jobmanager.rpc.address", OURS,
                "jobmanager.bind-host", OURS,
                "rest.address", OURS,
                "rest.bind-address", OURS,
                "taskmanager.host", OURS,
                "taskmanager.bind-host", OURS));
    }

    @Test
    void taskManagersThatAreCutOffLeaveNoTrace() throws Exception {
        ClusterSettings settings = ofTwoHosts();
        SlowTraining training = new SlowTraining(folder, 12);
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline =
                training.pipeline("cut", 40, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), ClusterStart.of(settings, 0))) {
            ClusterProcess far = cluster.add(FAR);
            ClusterJob job =
                    ClusterJob.submit(cluster, new ClientProcess(folder), pipeline, folder.resolve("cut.json"));
            cluster.await("steps of the far trainer", () -> job.stepsWritten() > 10);
            cluster.add(ProcessOptions.NONE);

            for (int cut = 0; cut < CUTS; cut++) {
                long checkpoint = job.latestCheckpoint(checkpoints);
                cluster.await("a checkpoint", () -> job.latestCheckpoint(checkpoints) > checkpoint + 2);
                boolean trainer = job.trainer().filter(far::equals).isPresent();
                Object file = job.stepsFile();
                require("ip link set millrace0 down");
                cluster.await("a restart elsewhere", () -> !job.stepsFile().equals(file));
                long restored = job.stepsWritten();
                cluster.await("steps elsewhere", () -> job.stepsWritten() > restored);
                assertThat(far.isAlive()).isTrue();
                require("ip link set millrace0 up");
                LOG.info("the {} was alone for a while, at step {}", trainer ? "trainer" : "data server", restored);
                cluster.awaitSlots(2);
            }

            training.requireQuiet(job.run(), job.await());
        }
    }

    /** The ranks are joined over the network that is cut; each is alone meanwhile, and the job waits. */
    @Test
    void replicasThatAreCutOffFromEachOtherLeaveNoTrace() throws Exception {
        ClusterSettings settings = ofTwoHosts();
        SlowTraining training = new SlowTraining(folder, 12, "ranks: 2\nreplicas: sync");
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline =
                training.pipeline("apart", 12, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), ClusterStart.of(settings, 1))) {
            ClusterProcess far = cluster.add(FAR);
            ClusterJob job =
                    ClusterJob.submit(cluster, new ClientProcess(folder), pipeline, folder.resolve("apart.json"));
            for (int cut = 0; cut < 2; cut++) {
                awaitCheckpoint(cluster, job, checkpoints);
                long steps = job.stepsWritten();
                cluster.await("more steps", () -> job.stepsWritten() > steps + 10);
                require("ip link set millrace0 down");
                cluster.awaitSlots(1);
                require("ip link set millrace0 up");
                cluster.awaitSlots(2);
            }
            JsonNode summary = job.await();

            assertThat(summary.required("restarts").asInt()).isGreaterThanOrEqualTo(2);
            assertThat(far.isAlive()).isTrue();
            assertThat(far.log()).content().contains(RanksE2E.RING);
            training.requireQuiet(job.run(), summary);
        }
    }

    @Test
    void clocksThatJumpChangeNothing() throws Exception {
        assumeTrue(Files.exists(FAKE_TIME), "a clock that jumps needs libfaketime");
        Path clock = Files.writeString(folder.resolve("clock.txt"), "+0");
        ProcessOptions jumping = new ProcessOptions(
                Map.of(),
                List.of(),
                Map.of(
                        "LD_PRELOAD",
                        FAKE_TIME.toString(),
                        "FAKETIME_TIMESTAMP_FILE",
                        clock.toString(),
                        "FAKETIME_NO_CACHE",
                        "1",
                        "FAKETIME_DONT_FAKE_MONOTONIC",
                        "1"),
                List.of());
        SlowTraining training = new SlowTraining(folder, 6);
        Path checkpoints = folder.resolve("checkpoints");
        Path pipeline =
                training.pipeline("clock", 20, "checkpoint: { interval: 300ms, path: %s }".formatted(checkpoints));
        ClusterStart start = new ClusterStart(
                settings(Map.of()), 2, ClusterStart.JobManagerLoss.ENDS_JOBS, ProcessOptions.NONE, jumping);
        try (TestCluster cluster = TestCluster.start(folder.resolve("cluster"), start)) {
            ClusterJob job =
                    ClusterJob.submit(cluster, new ClientProcess(folder), pipeline, folder.resolve("clock.json"));
            for (String jump : List.of("+3600", "-3600", "+86400")) {
                awaitCheckpoint(cluster, job, checkpoints);
                Files.writeString(clock, jump);
                awaitCheckpoint(cluster, job, checkpoints);
            }
            ClusterProcess trainer = job.trainer().orElseThrow();
            trainer.kill();
            cluster.add(ProcessOptions.NONE);
            assertThat(job.isDone()).isFalse();
            training.requireQuiet(job.run(), job.await());
            assertThat(logs(cluster))
                    .as("a clock that jumped is seen in the log")
                    .isTrue();
        }
    }

    /** Whether a TaskManager logged at two times that are more than half an hour apart. */
    private static boolean logs(TestCluster cluster) throws IOException {
        try (Stream<String> lines = Files.lines(
                cluster.taskManagers().get(cluster.taskManagers().size() - 2).log())) {
            return lines.filter(line -> line.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:.*"))
                            .map(line -> line.substring(0, "2000-01-01 00".length()))
                            .distinct()
                            .count()
                    > 1;
        }
    }

    private static void awaitCheckpoint(TestCluster cluster, ClusterJob job, Path checkpoints) throws Exception {
        long before = job.latestCheckpoint(checkpoints);
        cluster.await("a checkpoint", () -> job.latestCheckpoint(checkpoints) > before + 1);
    }
}

package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.pipeline.UnevenDelay;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.TaskManagerReading;
import io.millrace.run.ExitCode;
import io.millrace.served.ClientProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs that choose their slots on a cluster: by a measurement at the start, and again when a stage becomes slower. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class AutoSlotsE2E {
    private static final int SLOTS = 3;
    private static final Duration TIMEOUT = Duration.ofMinutes(4);

    /** The folder of the cluster that two tests share. */
    @TempDir
    static Path shared;

    private static @Nullable TestCluster local;
    private static @Nullable String undisturbed;

    @TempDir
    Path folder;

    @AfterAll
    static void stop() {
        if (local != null) {
            local.close();
        }
    }

    /** A pipeline whose second transform waits for each sample until the file "fast" exists. Its training steps are slow. */
    private Path pipeline(int waitMillis) throws Exception {
        return Files.writeString(folder.resolve("auto.yaml"), """
                dataset: { format: idx, path: %s, epochs: 12 }
                transforms:
                  - RandomMask: { ratio: 0.05 }
                  - UnevenDelay: { ms: %d, until: %s }
                parallelism: { auto: { most: %d, calibrate: 2s } }
                batch: { size: 16 }
                device: { transforms: [ ToFloat ] }
                train: { model: { convnet: { channels: [16, 32] } }, threads: 1 }
                checkpoint: { interval: 500ms }
                run: { folder: %s, web_port: 0 }
                """.formatted(
                        SmallData.digits(folder.resolve("digits")), waitMillis, fast(), SLOTS, runs()));
    }

    private Path fast() {
        return folder.resolve("fast");
    }

    private Path runs() {
        return folder.resolve("runs");
    }

    /** Returns the parameters of an undisturbed run, which is trained once for all tests: their data are the same. */
    private static String undisturbedParameters(Path pipeline) {
        String known = undisturbed;
        if (known == null) {
            CommandRun run = CommandRun.of(
                    "train",
                    pipeline.toString(),
                    "--json",
                    "--set",
                    "transforms=[RandomMask: {ratio: 0.05}]",
                    "--set",
                    "parallelism=1");
            assertThat(run.exitCode()).as(run.err()).isZero();
            known = run.json().required("parameters_sha256").asText();
            undisturbed = known;
        }
        return known;
    }

    /** Returns the shared cluster, whose slots are all free. */
    private static TestCluster local() throws Exception {
        TestCluster running = local;
        if (running == null) {
            running = cluster(shared, "local");
            local = running;
        }
        ClusterRest rest = new ClusterRest(running.web());
        running.await(
                "free slots",
                () -> rest.taskManagers().stream()
                                .mapToInt(TaskManagerReading::free)
                                .sum()
                        == SLOTS);
        return running;
    }

    private static TestCluster cluster(Path folder, String configuration) throws Exception {
        return TestCluster.start(
                folder.resolve("cluster"),
                ClusterStart.of(
                        TestCluster.settings(configuration)
                                .with(Map.of("taskmanager.numberOfTaskSlots", String.valueOf(SLOTS))),
                        1));
    }

    @Test
    @Tag("measurements") // other programs on the cores keep the stage from getting slots
    void jobWithASlowingStageGetsMoreSlotsWhileItRunsAndTrainsTheSame() throws Exception {
        Path pipeline = pipeline(20);
        Files.createFile(fast());
        String expected = undisturbedParameters(pipeline);
        ClientProcess programs = UnevenDelay.programs(folder);
        try (TestCluster cluster = cluster(folder, "elastic")) {
            Process client = programs.begin("train", pipeline.toString(), "--cluster", cluster.address());
            try {
                await(cluster, client, programs, "the choice", "auto    parallelism 1 \\(1 slot delivers");
                Files.delete(fast()); // from now on the pipeline is slower than the measured one
                await(
                        cluster,
                        client,
                        programs,
                        "more slots",
                        "auto    parallelism 1 -> parallelism " + SLOTS + ": the");
                await(cluster, client, programs, "tasks on all slots", () -> widest(cluster) == SLOTS);
                Files.createFile(fast());
                assertThat(client.waitFor()).as(programs.printed()).isZero();
            } finally {
                client.destroyForcibly();
            }
            JsonNode summary = CommandRun.summary(runs());
            assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
            assertThat(summary.required("parameters_sha256").asText()).isEqualTo(expected);
            assertThat(summary.required("samples").asInt()).isEqualTo(12 * 500);
            assertThat(summary.required("parallelism").asInt()).isEqualTo(SLOTS);
            assertThat(names(cluster)).containsExactlyInAnyOrder("millrace auto", "millrace auto-calibration");
        }
    }

    @Test
    void detachedJobOnAFixedClusterIsMeasuredAndUsesOnlyFreeSlots() throws Exception {
        // The file does not exist, so the transform waits: so long that the cores of a busy machine allow more than
        // three slots.
        Path pipeline = pipeline(60);
        ClientProcess programs = UnevenDelay.programs(folder);
        TestCluster cluster = local();
        ClientProcess.Ended left = programs.millrace(
                "train",
                pipeline.toString(),
                "--set",
                "parallelism={auto: {calibrate: 2s}}",
                "--cluster",
                cluster.address(),
                "--detach",
                "--json");
        ClusterJob job = ClusterJob.submittedBy(cluster, left);

        assertThat(left.err())
                .containsPattern(
                        "auto    parallelism 3 \\(1 slot delivers [0-9.]+ images/s, .*; no more than 3: the free slots; measured in");
        assertThat(job.parallelism("UnevenDelay")).isEqualTo(SLOTS);
        Files.createFile(fast());
        JsonNode summary = job.await();
        assertThat(summary.required("parameters_sha256").asText()).isEqualTo(undisturbedParameters(pipeline));
        assertThat(summary.required("parallelism").asInt()).isEqualTo(SLOTS);
    }

    @Test
    void interruptedMeasurementLeavesNothingOnTheCluster() throws Exception {
        Path pipeline = pipeline(20);
        ClientProcess programs = UnevenDelay.programs(folder);
        TestCluster cluster = local();
        List<String> earlier = ids(cluster);
        Process client = programs.begin(
                "train",
                pipeline.toString(),
                "--set",
                "parallelism={auto: {calibrate: 10min}}",
                "--cluster",
                cluster.address());
        try {
            await(cluster, client, programs, "the measurement", () -> states(cluster, earlier)
                    .equals(List.of("RUNNING")));
            new ProcessBuilder("kill", "-INT", Long.toString(client.pid()))
                    .start()
                    .waitFor();
            assertThat(client.waitFor()).as(programs.printed()).isEqualTo(ExitCode.INTERRUPTED);
        } finally {
            client.destroyForcibly();
        }
        assertThat(programs.printed()).contains("millrace: interrupted before training began");
        assertThat(states(cluster, earlier)).containsExactly("CANCELED");
        try (Stream<Path> left = Files.list(runs())) {
            assertThat(left).isEmpty();
        }
    }

    private static List<String> ids(TestCluster cluster) throws Exception {
        return new ClusterRest(cluster.web())
                .jobs().stream().map(job -> job.id()).toList();
    }

    /** Returns the states of all jobs except the earlier ones. */
    private static List<String> states(TestCluster cluster, List<String> earlier) throws Exception {
        return new ClusterRest(cluster.web())
                .jobs().stream()
                        .filter(job -> !earlier.contains(job.id()))
                        .map(job -> job.state())
                        .toList();
    }

    private static int widest(TestCluster cluster) throws Exception {
        ClusterRest rest = new ClusterRest(cluster.web());
        return rest.tasks(rest.jobs().get(0).id()).parallelism();
    }

    private static List<String> names(TestCluster cluster) throws Exception {
        return new ClusterRest(cluster.web())
                .jobs().stream().map(job -> job.name()).toList();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(TestCluster cluster, Process client, ClientProcess programs, String what, String pattern)
            throws Exception {
        Pattern expected = Pattern.compile(pattern);
        await(cluster, client, programs, what, () -> expected.matcher(programs.printed())
                .find());
    }

    private static void await(
            TestCluster cluster, Process client, ClientProcess programs, String what, Condition condition)
            throws Exception {
        try {
            cluster.await(what, TIMEOUT, () -> condition.holds() || !client.isAlive());
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; the client: " + programs.printed(), e);
        }
        assertThat(condition.holds()).as(programs.printed()).isTrue();
    }
}

package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.ProcessOptions;
import io.millrace.cluster.TestCluster;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import io.millrace.sink.ServeAddresses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a served run on a cluster of real processes. They find the sinks, and outlive a kill -9 of one of them. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
@Tag("processes")
class ServedClusterE2E {
    private static final int SAMPLES = 500;
    private static final int STEPS_PER_EPOCH = 16;
    private static final int EPOCHS = 2;
    private static final int KILL_AT = 20;
    private static final int HEARTBEAT_SECONDS = 3;

    @TempDir
    static Path folder;

    private static @Nullable TestCluster cluster;
    private static @Nullable ClientProcess programs;
    private static Path pipeline = Path.of("");
    private static Path runs = Path.of("");

    @BeforeAll
    static void start() throws Exception {
        Path digits = SmallData.digits(folder.resolve("digits"));
        runs = folder.resolve("runs");
        pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs);
        Files.writeString(pipeline, Files.readString(pipeline).replace("parallelism: 2", "parallelism: 1"));
        var settings = TestCluster.settings("elastic")
                .with(Map.of(
                        "taskmanager.numberOfTaskSlots",
                        "1",
                        "$internal.dispatcher.client-aliveness-check.interval",
                        "500ms"));
        cluster = TestCluster.start(folder.resolve("cluster"), ClusterStart.of(settings, 2));
        programs = new ClientProcess(folder);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static TestCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    private static ClientProcess programs() {
        return Objects.requireNonNull(programs);
    }

    /** Returns what {@code serve} wrote when it was ready. */
    private static JsonNode ready(Process serve, Path file) throws Exception {
        cluster().await("the front door", () -> Files.exists(file) || !serve.isAlive());
        assertThat(serve.isAlive()).as(programs().printed()).isTrue();
        return SlowTraining.json(Files.readString(file));
    }

    @Test
    void killedTaskManagerOfOneOfTwoRanksCostsTheClientsNoBatch() throws Exception {
        Path file = folder.resolve("ready.json");
        Process serve = programs()
                .begin(
                        "serve",
                        pipeline.toString(),
                        "--cluster",
                        cluster().address(),
                        "--listen",
                        "127.0.0.1:0",
                        "--world",
                        "2",
                        "--ready-file",
                        file.toString());
        try {
            JsonNode ready = ready(serve, file);
            String tcp = ready.required("addresses").get(1).asText();
            String token = ready.required("token").asText();
            List<Long> delivered = new ArrayList<>();
            try (ServedRank first = new ServedRank(tcp, token, 0, 2);
                    ServedRank second = new ServedRank(tcp, token, 1, 2)) {
                List<ServedRank> ranks = List.of(first, second);
                for (ServedRank rank : ranks) {
                    rank.connect();
                }
                assertThat(first.sentTo().get(0))
                        .hasSize(2)
                        .doesNotContainAnyElementsOf(second.sentTo().get(0));
                List<Long> before = both(ranks, KILL_AT);
                before.addAll(first.until(KILL_AT + 1)); // one step ahead of the other
                cluster().taskManagers().get(1).kill();
                cluster().cluster().forgetDead();
                cluster().add(new ProcessOptions(Map.of(), List.of(), Map.of(), List.of()));
                delivered.addAll(before);
                delivered.addAll(both(ranks, (long) EPOCHS * STEPS_PER_EPOCH));
                for (ServedRank rank : ranks) {
                    assertThat(rank.step()).as("the end").isNull();
                }
                for (ServedRank rank : ranks) {
                    rank.bye();
                }
                assertThat(first.sentTo().size() + second.sentTo().size())
                        .as("connections after the kill: %s %s", first.sentTo(), second.sentTo())
                        .isGreaterThan(2);
            }
            assertThat(serve.waitFor()).as(programs().printed()).isZero();
            assertThat(delivered)
                    .as("the samples, each once per epoch")
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, EPOCHS)
                            .boxed()
                            .flatMap(epoch -> LongStream.range(0, SAMPLES).boxed())
                            .toList());
            JsonNode summary = CommandRun.summary(runs);
            assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
            assertThat(summary.required("restarts").asInt()).isPositive();
            assertThat(summary.required("steps").asLong()).as("%s", summary).isEqualTo((long) EPOCHS * STEPS_PER_EPOCH);
            assertThat(summary.required("samples").asLong()).as("%s", summary).isEqualTo((long) EPOCHS * SAMPLES);
        } finally {
            serve.destroyForcibly();
        }
    }

    /** Receives the batches before a step in a thread for each rank, because ranks wait for each other. */
    private static List<Long> both(List<ServedRank> ranks, long step) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(ranks.size());
        try {
            List<Callable<List<Long>>> work = ranks.stream()
                    .map(rank -> (Callable<List<Long>>) () -> rank.until(step))
                    .toList();
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> rank : threads.invokeAll(work)) {
                all.addAll(rank.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void detachedRunIsFoundOverRestAndWritesItsSummary() throws Exception {
        ClientProcess.Ended ended = programs()
                .millrace("serve", pipeline.toString(), "--cluster", cluster().address(), "--detach", "--json");
        assertThat(ended.exitCode()).as("%s", ended).isZero();
        JsonNode result = SlowTraining.json(ended.out().lines().reduce("", (first, second) -> second));
        Path token = Path.of(result.required("token_file").asText());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo("rw-------");
        String job = result.required("job").asText();
        ClusterRest rest = new ClusterRest(cluster().web());
        String[] found = new String[1];
        cluster().await("the sink's addresses", () -> {
            Optional<String> text = rest.accumulator(job, ServeAddresses.ACCUMULATOR);
            found[0] = text.orElse("");
            return text.isPresent();
        });
        JsonNode addresses = SlowTraining.json(found[0]).required("0");
        try (ServedRank overTcp = new ServedRank(addresses.get(1).asText(), Files.readString(token), 0, 1)) {
            overTcp.connect();
            for (int step = 0; step < STEPS_PER_EPOCH; step++) {
                assertThat(overTcp.step()).isNotEmpty();
            }
        }
        try (ServedRank overUnix = new ServedRank(addresses.get(0).asText(), null, 0, 1)) {
            overUnix.connect();
            long steps = 0;
            for (List<Long> batch = overUnix.step(); batch != null; batch = overUnix.step()) {
                steps++;
            }
            assertThat(steps).isEqualTo((long) EPOCHS * STEPS_PER_EPOCH);
            overUnix.bye();
        }
        Path summary = Path.of(result.required("summary").asText());
        cluster().await("the summary", () -> Files.exists(summary));
        assertThat(SlowTraining.json(Files.readString(summary))
                        .required("status")
                        .asText())
                .isEqualTo("finished");
    }

    /** Starts {@code serve} with a front door on the cluster. */
    private static Process begin(Path ready, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("serve", pipeline.toString()));
        arguments.addAll(List.of("--cluster", cluster().address(), "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of("--ready-file", ready.toString()));
        arguments.addAll(List.of(more));
        return programs().begin(arguments.toArray(String[]::new));
    }

    /** Returns the id of the job that runs. */
    private static String runningJob(ClusterRest rest) throws Exception {
        List<ClusterJob> running =
                rest.jobs().stream().filter(job -> job.endedAtMillis() == null).toList();
        assertThat(running).hasSize(1);
        return running.get(0).id();
    }

    @Test
    void scaledRunDeliversEachStepOnceAndInOrder() throws Exception {
        ClusterRest rest = new ClusterRest(cluster().web());
        Path file = folder.resolve("scaled.json");
        Process serve = begin(file);
        try {
            String unix = ready(serve, file).required("addresses").get(0).asText();
            try (ServedRank rank = new ServedRank(unix, null, 0, 1)) {
                rank.connect();
                List<Long> delivered = new ArrayList<>(rank.until(STEPS_PER_EPOCH / 2));
                String job = runningJob(rest);
                ClientProcess.Ended divided = programs()
                        .millrace("scale", job, "pack=2", "--cluster", cluster().address());
                assertThat(divided.exitCode()).as("%s", divided).isEqualTo(ExitCode.USAGE);
                assertThat(divided.err())
                        .contains("delivers to clients, and stages that share a task need the same parallelism");
                ClientProcess.Ended scaled = programs()
                        .millrace(
                                "scale",
                                job,
                                "parallelism=2",
                                "--cluster",
                                cluster().address());
                assertThat(scaled.exitCode()).as("%s", scaled).isZero();
                assertThat(scaled.out()).contains("rescaled as it runs");
                assertThat(rest.tasks(job).parallelism()).isEqualTo(2);

                delivered.addAll(rank.until(STEPS_PER_EPOCH));
                assertThat(delivered)
                        .containsExactlyInAnyOrderElementsOf(
                                LongStream.range(0, SAMPLES).boxed().toList());
                assertThat(rank.sentTo()).as("connections").hasSizeGreaterThan(1);

                ClientProcess.Ended stopped =
                        programs().millrace("stop", job, "--cluster", cluster().address());
                assertThat(stopped.exitCode()).as("%s", stopped).isZero();
                assertThat(stopped.out()).contains("its clients continue with their next step");
                assertThat(serve.waitFor()).as(programs().printed()).isEqualTo(ExitCode.INTERRUPTED);
                assertThat(rest.tasks(job).state()).isEqualTo("CANCELED");
            }
        } finally {
            serve.destroyForcibly();
        }
    }

    @Test
    void jobEndsWithItsCommandAndNotBefore() throws Exception {
        ClusterRest rest = new ClusterRest(cluster().web());
        Path file = folder.resolve("killed.json");
        Process serve = begin(
                file,
                "--set",
                "flink.client.heartbeat.interval=200ms",
                "--set",
                "flink.client.heartbeat.timeout=" + HEARTBEAT_SECONDS + "s");
        try {
            ready(serve, file);
            cluster().await("the job", () -> rest.jobs().stream().anyMatch(one -> one.endedAtMillis() == null));
            String job = runningJob(rest);
            cluster().await("the sink", () -> rest.tasks(job).consumer().isPresent());
            long began = rest.nowMillis(job);
            cluster()
                    .await(
                            "signs of life",
                            () -> rest.nowMillis(job) - began > 2 * TimeUnit.SECONDS.toMillis(HEARTBEAT_SECONDS));
            assertThat(rest.tasks(job).state()).isEqualTo("RUNNING");
            serve.destroyForcibly().waitFor();
            cluster().await("the end of the job", () -> rest.tasks(job).state().equals("CANCELED"));
        } finally {
            serve.destroyForcibly();
        }
    }

    @Test
    void failedJobIsTheAnswerToItsClients() throws Exception {
        Path file = folder.resolve("failing.json");
        Path broken = Files.copy(folder.resolve("digits.yaml"), folder.resolve("broken.yaml"));
        Path photos = SmallData.photos(folder.resolve("photos"), 20, 10, 1);
        SmallData.photosPipeline(broken, photos, folder.resolve("broken-runs"));
        Files.writeString(
                broken,
                Files.readString(broken)
                        .replace("max_quarantined: 1.0", "max_quarantined: 0.0")
                        .replace("parallelism: 2", "parallelism: 1"));
        Process serve = programs()
                .begin(
                        "serve",
                        broken.toString(),
                        "--cluster",
                        cluster().address(),
                        "--listen",
                        "127.0.0.1:0",
                        "--ready-file",
                        file.toString());
        try {
            String unix = ready(serve, file).required("addresses").get(0).asText();
            String refusal = "";
            try (ServedRank rank = new ServedRank(unix, null, 0, 1)) {
                rank.connect();
                for (List<Long> batch = rank.step(); batch != null; batch = rank.step()) {
                    assertThat(batch).isNotNull();
                }
            } catch (AssertionError e) {
                refusal = String.valueOf(e.getMessage());
            }
            assertThat(refusal).contains("refused: ", "job_failed", "quarantine");
            assertThat(serve.waitFor()).as(programs().printed()).isEqualTo(1);
        } finally {
            serve.destroyForcibly();
        }
    }
}

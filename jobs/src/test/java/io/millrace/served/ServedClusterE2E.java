package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import io.millrace.cluster.ProcessOptions;
import io.millrace.cluster.TestCluster;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a served run on a cluster of real processes. They find the sinks, and outlive a kill -9 of one of them. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ServedClusterE2E {
    private static final int SAMPLES = ServedCluster.SAMPLES;
    private static final int STEPS_PER_EPOCH = ServedCluster.STEPS_PER_EPOCH;
    private static final int EPOCHS = ServedCluster.EPOCHS;
    private static final int KILL_AT = 20;
    private static final int HEARTBEAT_SECONDS = 3;

    @TempDir
    static Path folder;

    private static @Nullable ServedCluster served;

    @BeforeAll
    static void start() throws Exception {
        served = ServedCluster.start(folder);
    }

    @AfterAll
    static void stop() {
        if (served != null) {
            served.close();
        }
    }

    private static ServedCluster served() {
        return Objects.requireNonNull(served);
    }

    private static TestCluster cluster() {
        return served().cluster();
    }

    private static ClientProcess programs() {
        return served().programs();
    }

    @Test
    void killedTaskManagerOfOneOfTwoRanksCostsTheClientsNoBatch() throws Exception {
        Path file = folder.resolve("ready.json");
        Process serve = served().begin(file, "--world", "2");
        try {
            JsonNode ready = served().ready(serve, file);
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
                List<Long> before = ServedRank.all(ranks, KILL_AT);
                before.addAll(first.until(KILL_AT + 1)); // one step ahead of the other
                cluster().taskManagers().get(1).kill();
                cluster().cluster().forgetDead();
                cluster().add(new ProcessOptions(Map.of(), List.of(), Map.of(), List.of()));
                delivered.addAll(before);
                delivered.addAll(ServedRank.all(ranks, (long) EPOCHS * STEPS_PER_EPOCH));
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
            JsonNode summary = CommandRun.summary(served().runs());
            assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
            assertThat(summary.required("restarts").asInt()).isPositive();
            assertThat(summary.required("steps").asLong()).as("%s", summary).isEqualTo((long) EPOCHS * STEPS_PER_EPOCH);
            assertThat(summary.required("samples").asLong()).as("%s", summary).isEqualTo((long) EPOCHS * SAMPLES);
        } finally {
            serve.destroyForcibly();
        }
    }

    @Test
    void scaledRunDeliversEachStepOnceAndInOrder() throws Exception {
        ClusterRest rest = new ClusterRest(cluster().web());
        Path file = folder.resolve("scaled.json");
        Process serve = served().begin(file);
        try {
            String unix =
                    served().ready(serve, file).required("addresses").get(0).asText();
            try (ServedRank rank = new ServedRank(unix, null, 0, 1)) {
                rank.connect();
                List<Long> delivered = new ArrayList<>(rank.until(STEPS_PER_EPOCH / 2));
                String job = served().runningJob();
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
                cluster().await("the end of the job", () -> rest.tasks(job)
                        .state()
                        .equals("FINISHED"));
            }
        } finally {
            serve.destroyForcibly();
        }
    }

    @Test
    void jobEndsWithItsCommandAndNotBefore() throws Exception {
        ClusterRest rest = new ClusterRest(cluster().web());
        Path file = folder.resolve("killed.json");
        Process serve = served().begin(file, endless());
        try {
            served().ready(serve, file);
            cluster().await("the job", () -> rest.jobs().stream().anyMatch(one -> one.endedAtMillis() == null));
            String job = served().runningJob();
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
    void pythonLoaderOutlivesTheFrontDoorUntilFlinkCancelsTheJob() throws Exception {
        Path file = folder.resolve("door.json");
        try (PythonLoader loader = new PythonLoader(folder)) {
            Process serve = served().begin(file, endless());
            try {
                String unix =
                        served().ready(serve, file).required("addresses").get(0).asText();
                assertThat(loader.open(unix, Map.of("timeout", 15))).isEqualTo("memfd");
                loader.receive(0, KILL_AT);
                String job = served().runningJob();
                serve.destroyForcibly().waitFor();
                loader.receive(KILL_AT, 2 * KILL_AT);
                assertThat(loader.evaluate(Integer.MAX_VALUE))
                        .as("the evaluation of a job whose front door is gone")
                        .hasSize(ServedCluster.EVALUATED)
                        .isSorted();
                cluster()
                        .await(
                                "the end of the job",
                                () -> served().rest().tasks(job).state().equals("CANCELED"));
                assertThat(loader.failed())
                        .startsWith("ConnectionLost: no connection to " + unix + " within 15 s: ")
                        .contains("no job at " + cluster().web()
                                + " delivers batches, and the latest, 'millrace digits' (" + job
                                + ", CANCELED), has ended");
            } finally {
                serve.destroyForcibly();
            }
        }
    }

    /** Returns the options of a run without an end, whose job Flink cancels soon after its command. */
    private static String[] endless() {
        return new String[] {
            "--set", "dataset.epochs=100000000",
            "--set", "flink.client.heartbeat.interval=200ms",
            "--set", "flink.client.heartbeat.timeout=" + HEARTBEAT_SECONDS + "s"
        };
    }

    @Test
    void otherMachinesNeedTlsAndTheTokenAtTheFrontDoorAndAtTheSink() throws Exception {
        Path file = folder.resolve("tls.json");
        List<String> options = new ArrayList<>(List.of("--listen", "0.0.0.0:0"));
        options.addAll(served().certificate());
        try (PythonLoader loader = new PythonLoader(folder)) {
            Process serve = served().begin(file, options.toArray(String[]::new));
            try {
                JsonNode ready = served().ready(serve, file);
                String token = ready.required("token").asText();
                String door = ready.required("addresses").get(1).asText().replace("0.0.0.0", "127.0.0.1");
                String pem = served().certificates().pem().toString();
                assertThat(loader.open(door, Map.of("tls", pem, "token", token)))
                        .as("the sink on this machine")
                        .isEqualTo("memfd");
                assertThat(loader.evaluate(Integer.MAX_VALUE))
                        .isEqualTo(LongStream.range(0, ServedCluster.EVALUATED)
                                .boxed()
                                .toList());
                String sink = served().sink(served().runningJob(), 0).get(1).asText();
                for (String address : List.of(door, sink)) {
                    assertThat(loader.refused(address, Map.of("token", token)))
                            .startsWith("ConnectionLost: ")
                            .contains("the server at " + address + " requires TLS: pass tls=");
                    assertThat(loader.refused(address, Map.of("tls", true, "token", token)))
                            .startsWith("ConnectionLost: ")
                            .contains("the server's certificate is not accepted: ", "tls='ca.pem'");
                    assertThat(loader.refused(address, Map.of("tls", pem)))
                            .startsWith("ServerError: ")
                            .contains("token");
                    assertThat(loader.refused(address, Map.of("tls", pem, "token", "0".repeat(32))))
                            .startsWith("ServerError: ")
                            .contains("token");
                }
                assertThat(loader.open(sink, Map.of("tls", pem, "token", token)))
                        .isEqualTo("inline");
                assertThat(loader.receive(0, (long) EPOCHS * STEPS_PER_EPOCH)).hasSize(EPOCHS * SAMPLES);
                loader.finish();
                assertThat(serve.waitFor()).as(programs().printed()).isZero();
            } finally {
                serve.destroyForcibly();
            }
        }
    }

    @Test
    void jobThatIsCancelledInTheWebUiIsTheAnswerToItsClients() throws Exception {
        Path file = folder.resolve("cancelled.json");
        try (PythonLoader loader = new PythonLoader(folder)) {
            Process serve = served().begin(file, endless());
            try {
                loader.open(
                        served().ready(serve, file).required("addresses").get(0).asText(), Map.of());
                loader.receive(0, KILL_AT);
                served().cancel(served().runningJob());
                assertThat(loader.failed()).startsWith("JobFailed: the job was cancelled, in Flink's web UI");
                assertThat(serve.waitFor()).as(programs().printed()).isEqualTo(1);
                assertThat(CommandRun.summary(served().runs())
                                .required("message")
                                .asText())
                        .startsWith("the job was cancelled");
            } finally {
                serve.destroyForcibly();
            }
        }
    }

    @Test
    void failedJobIsTheAnswerToItsClients() throws Exception {
        Path file = folder.resolve("failing.json");
        Path broken = Files.copy(served().pipeline(), folder.resolve("broken.yaml"));
        Path photos = SmallData.photos(folder.resolve("photos"), 20, 10, 1);
        SmallData.photosPipeline(broken, photos, folder.resolve("broken-runs"));
        Files.writeString(
                broken,
                Files.readString(broken)
                        .replace("max_quarantined: 1.0", "max_quarantined: 0.0")
                        .replace("parallelism: 2", "parallelism: 1"));
        Process serve = served().begin(broken, file);
        try {
            String unix =
                    served().ready(serve, file).required("addresses").get(0).asText();
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

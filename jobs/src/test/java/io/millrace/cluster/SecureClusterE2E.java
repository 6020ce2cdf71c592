package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.ShownText;
import io.millrace.cli.SlowTraining;
import io.millrace.cli.SmallData;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.UnevenDelay;
import io.millrace.s3.S3Server;
import io.millrace.s3.Upload;
import io.millrace.served.ClientProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs with data in an S3 bucket on a cluster with TLS. They train the same parameters and reveal no secret. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("processes")
class SecureClusterE2E {
    private static final String PASSWORD = "password-of-the-key-store";
    private static final int STEPS_BEFORE = 5;

    @TempDir
    static Path folder;

    private static @Nullable S3Server server;
    private static @Nullable Certificates certificates;
    private static @Nullable TestCluster cluster;
    private static @Nullable ClientProcess programs;
    private static Path pipeline = Path.of("");
    private static Path runs = Path.of("");
    private static String expected = "";

    @BeforeAll
    static void start() throws Exception {
        Path digits = SmallData.digits(folder.resolve("local/digits"));
        Path plugins = Path.of(Objects.requireNonNull(System.getenv("MILLRACE_PLUGINS"), "Maven sets it"));
        server = S3Server.start(plugins.resolveSibling("s3proxy"), folder);
        server.bucket("data");
        FileSystems.initialize(storage());
        Upload.tree(folder.resolve("local"), "data");

        runs = folder.resolve("runs");
        CommandRun local = CommandRun.of(
                "train",
                SmallData.digitsPipeline(folder.resolve("local.yaml"), digits, folder.resolve("local-runs"))
                        .toString(),
                "--json");
        assertThat(local.exitCode()).as("%s", local).isZero();
        expected = local.json().required("parameters_sha256").asText();
        pipeline = SmallData.digitsPipeline(folder.resolve("digits.yaml"), digits, runs);
        Files.writeString(
                pipeline,
                Files.readString(pipeline).replace(digits.toString(), "s3://data/digits")
                        + "checkpoint: { interval: 500ms }\nflink:\n");
        for (Map.Entry<String, String> entry : storage().entrySet()) {
            Files.writeString(
                    pipeline, Files.readString(pipeline) + "  " + entry.getKey() + ": " + entry.getValue() + "\n");
        }

        certificates = Certificates.make(folder.resolve("tls"), PASSWORD);
        Map<String, String> changes = new LinkedHashMap<>(certificates.settings());
        changes.putAll(storage());
        changes.put("taskmanager.numberOfTaskSlots", "1");
        cluster = TestCluster.start(
                folder.resolve("cluster"),
                ClusterStart.of(TestCluster.settings("elastic").with(changes), 2));
        programs = UnevenDelay.programs(
                folder, Map.of("FLINK_CONF_DIR", configuration().toString()));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static Map<String, String> storage() {
        return Map.of(
                "s3.endpoint",
                "http://127.0.0.1:" + Objects.requireNonNull(server).port(),
                "s3.path.style.access",
                "true",
                "s3.access-key",
                S3Server.ACCESS_KEY,
                "s3.secret-key",
                S3Server.SECRET_KEY);
    }

    private static TestCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    private static ClientProcess programs() {
        return Objects.requireNonNull(programs);
    }

    private static Path configuration() {
        return cluster().cluster().folder().resolve("conf");
    }

    private static String address() {
        return cluster().web().toString();
    }

    private static JsonNode last(ClientProcess.Ended ended) throws IOException {
        assertThat(ended.exitCode()).as("%s", ended).isZero();
        return SlowTraining.json(ended.out().lines().reduce("", (first, second) -> second));
    }

    /** Returns all files except those into which the user wrote the secrets. */
    private static ShownText files() throws IOException {
        ShownText shown = new ShownText();
        shown.addFiles(
                folder, Set.of(pipeline, configuration().resolve("config.yaml"), folder.resolve("s3proxy.properties")));
        return shown;
    }

    private static void requireNoSecret(ShownText shown) {
        shown.requireNone(S3Server.SECRET_KEY);
        shown.requireNone(PASSWORD);
    }

    @Test
    void runOverTlsTrainsTheSameAndShowsNoSecret() throws Exception {
        ClientProcess.Ended run = programs().millrace("train", pipeline.toString(), "--cluster", address(), "--json");
        JsonNode summary = last(run);
        assertThat(summary.required("parameters_sha256").asText()).isEqualTo(expected);
        ClientProcess.Ended status = programs().millrace("status", "digits", "--cluster", address());
        while (status.out().contains("  running for ")) { // Flink's REST interface may be 3 s late
            status = programs().millrace("status", "digits", "--cluster", address());
        }
        assertThat(status.out()).contains("finished");

        ShownText shown = files();
        shown.add("client", run.out() + run.err() + status.out() + status.err());
        shown.addRest(Objects.requireNonNull(certificates).client(), cluster().web());
        for (ClusterProcess process : cluster().cluster().processes()) {
            shown.addCommandLine(process.pid());
        }
        assertThat(shown.texts().keySet())
                .anyMatch(where -> where.endsWith("/plan"))
                .anyMatch(where -> where.matches(".*/taskmanagers/.*/logs/.*"))
                .anyMatch(where -> where.endsWith("client.log"))
                .anyMatch(where -> where.endsWith("/run.json"));
        requireNoSecret(shown);
    }

    @Test
    void plainHttpIsOnlyRedirectedToTls() throws Exception {
        URI plain = URI.create("http://" + cluster().address() + "/overview");
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(plain).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isBetween(300, 399);
        assertThat(answer.headers().firstValue("Location"))
                .hasValueSatisfying(to -> assertThat(to).startsWith("https://"));
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void jobOfTheAdaptiveSchedulerIsRescaledWhileItRuns() throws Exception {
        Path goOn = folder.resolve("go-on");
        ClusterJob job = ClusterJob.submittedBy(
                cluster(),
                programs()
                        .millrace(
                                "train",
                                pipeline.toString(),
                                "--set",
                                "transforms=[RandomMask: {ratio: 0.05}, UnevenDelay: {ms: 100, until: %s}]"
                                        .formatted(goOn),
                                "--set",
                                "parallelism=1",
                                "--cluster",
                                address(),
                                "--detach",
                                "--json"));
        cluster().await("some steps", () -> job.stepsWritten() >= STEPS_BEFORE);
        JsonNode scaled =
                last(programs().millrace("scale", job.id(), "parallelism=2", "--cluster", address(), "--json"));
        assertThat(scaled.required("how").asText()).isEqualTo("rescaled");
        assertThat(scaled.required("job").asText()).isEqualTo(job.id());
        Files.createFile(goOn);
        JsonNode summary = job.await();
        assertThat(summary.required("status").asText()).isEqualTo("finished");
        assertThat(summary.required("parameters_sha256").asText()).isEqualTo(expected);
    }

    @Test
    void embeddedRunShowsNoSecret() throws Exception {
        Process program = programs().begin("train", pipeline.toString(), "--linger");
        ShownText shown;
        try {
            Matcher web = awaitPrinted(program, Pattern.compile("the web UI stays at (\\S+)"));
            shown = files();
            shown.addRest(HttpClient.newHttpClient(), URI.create(web.group(1)));
            new ProcessBuilder("kill", "-INT", Long.toString(program.pid()))
                    .start()
                    .waitFor();
            assertThat(program.waitFor()).as(programs().printed()).isZero();
        } finally {
            program.destroyForcibly();
        }
        assertThat(CommandRun.summary(runs).required("parameters_sha256").asText())
                .isEqualTo(expected);
        shown.add("program", programs().printed());
        requireNoSecret(shown);
    }

    private static Matcher awaitPrinted(Process program, Pattern words) throws Exception {
        Matcher[] found = new Matcher[1];
        cluster().await("'" + words + "' printed", () -> {
            found[0] = words.matcher(programs().printed());
            return found[0].find() || !program.isAlive();
        });
        assertThat(program.isAlive()).as(programs().printed()).isTrue();
        return found[0];
    }
}

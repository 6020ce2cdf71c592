package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandRun;
import io.millrace.cli.DiagnosedJobs;
import io.millrace.cli.FlinkMain;
import io.millrace.cli.RunHistory;
import io.millrace.cli.SmallData;
import io.millrace.pipeline.UnevenDelay;
import io.millrace.run.ExitCode;
import io.millrace.served.ClientProcess;
import io.millrace.trace.TraceRules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The same run by every way of submission, on one TaskManager. It always trains the same parameters. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@TestMethodOrder(MethodOrderer.MethodName.class)
@Tag("processes")
class SubmissionE2E {
    private static final int SLOTS = 2;

    /** Transforms that are slow enough to disturb the training. They do not change the trained parameters. */
    private static final String SLOW = "transforms=[RandomMask: {ratio: 0.05}, Delay: {ms: 40, mode: sleep}]";

    private static final int STEPS_BEFORE = 5;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    static Path folder;

    private static @Nullable TestCluster started;
    private static @Nullable ClientProcess programs;
    private static Path pipeline = Path.of("");
    private static Path runs = Path.of("");
    private static String expected = "";

    @BeforeAll
    static void start() throws Exception {
        runs = folder.resolve("runs");
        pipeline = SmallData.digitsPipeline(
                folder.resolve("digits.yaml"), SmallData.digits(folder.resolve("digits")), runs);
        Files.writeString(pipeline, Files.readString(pipeline) + "checkpoint: { interval: 500ms }\n");
        CommandRun embedded = CommandRun.of("train", pipeline.toString(), "--json");
        assertThat(embedded.exitCode()).as("%s", embedded).isZero();
        expected = embedded.json().required("parameters_sha256").asText();
        programs = UnevenDelay.programs(folder);
        started = TestCluster.start(
                folder.resolve("cluster"),
                ClusterStart.of(
                        TestCluster.settings("elastic")
                                .with(Map.of(
                                        "jobmanager.scheduler",
                                        "Default",
                                        "web.submit.enable",
                                        "true",
                                        "taskmanager.numberOfTaskSlots",
                                        String.valueOf(SLOTS),
                                        "taskmanager.memory.process.size",
                                        "1600m")),
                        1));
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }

    /** Returns transforms that are slow until the file exists. They do not change the trained parameters. */
    private static String slowUntil(Path released) {
        return "transforms=[RandomMask: {ratio: 0.05}, UnevenDelay: {ms: 100, until: %s}]".formatted(released);
    }

    private static TestCluster cluster() {
        assertThat(started).isNotNull();
        return Objects.requireNonNull(started);
    }

    private static ClientProcess programs() {
        return Objects.requireNonNull(programs);
    }

    private static JsonNode json(Path file) throws IOException {
        return MAPPER.readTree(Files.readString(file));
    }

    private static String sha(JsonNode summary) {
        assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
        return summary.required("parameters_sha256").asText();
    }

    private static JsonNode lastLine(String text) throws IOException {
        return MAPPER.readTree(text.lines().reduce("", (first, second) -> second));
    }

    @Test
    void attachedClientOfAClusterPrintsAndWritesTheSameAsAnEmbeddedRun() throws Exception {
        ClientProcess.Ended run = programs()
                .millrace("train", pipeline.toString(), "--cluster", cluster().address(), "--trace", "--json");
        assertThat(run.exitCode()).as("%s", run).isZero();
        Path trace = CommandRun.folder(runs).resolve("trace.json");
        assertThat(run.err()).contains("trace   " + trace);
        TraceRules.check(Files.readAllBytes(trace));
        assertThat(Files.readString(trace))
                .contains("TaskManager taskmanager-1, process ", "\"pass on\"", "\"network\"");
        JsonNode summary = lastLine(run.out());
        assertThat(sha(summary)).isEqualTo(expected);
        assertThat(summary.required("samples").asLong()).isEqualTo(1000);
        assertThat(summary.required("restarts").asInt()).isZero();
        assertThat(CommandRun.summary(runs)).isEqualTo(summary);
        JsonNode stages = summary.required("stages");
        assertThat(stages.findValuesAsText("records"))
                .as("the last figures of the stages arrive, too: %s", stages)
                .hasSizeGreaterThan(4)
                .containsOnly("1000");
        assertThat(stages.findValues("at_least")).isEmpty();

        String job = run.err().replaceAll("(?s).*\njob     (\\p{XDigit}{32}).*", "$1");
        JsonNode ended = CommandRun.of("status", job, "--cluster", cluster().address(), "--json")
                .json()
                .required("stages");
        assertThat(ended.findValuesAsText("name")).startsWith("read", "RandomMask", "pack");
        for (int stage = 0; stage < 3; stage++) {
            assertThat(ended.get(stage).required("records").asLong())
                    .as("status of the ended job: %s", ended)
                    .isEqualTo(1000);
        }

        ClientProcess.Ended separate = train("--set", "stages=separate");
        assertThat(separate.exitCode()).as("%s", separate).isZero();
        JsonNode apart = lastLine(separate.out()).required("stages");
        assertThat(apart.findValuesAsText("records"))
                .as("also with a reader alone in its task: %s", apart)
                .hasSize(stages.size())
                .containsOnly("1000");
        assertThat(apart.findValues("at_least")).isEmpty();
    }

    /** Trains on the cluster with more arguments, and prints the result as JSON. */
    private static ClientProcess.Ended train(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("train", pipeline.toString(), "--cluster", cluster().address(), "--json"));
        arguments.addAll(List.of(more));
        return programs().millrace(arguments.toArray(String[]::new));
    }

    /** Runs the job jar with Flink's own client, whose options precede the arguments of the job. */
    private static ClientProcess.Ended flinkRun(List<String> options, Path file, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(options);
        arguments.addAll(
                List.of("-c", FlinkMain.class.getName(), programs().jobJar().toString()));
        arguments.addAll(List.of("train", file.toString()));
        arguments.addAll(List.of(more));
        return programs().flink(cluster().cluster().folder().resolve("conf"), arguments.toArray(String[]::new));
    }

    @Test
    void detachedJobWritesItsSummaryToTheRequestedFileAndIsListed() throws Exception {
        Path file = folder.resolve("requested/digits.json");
        ClientProcess.Ended run = train("--detach", "--summary", file.toString());
        assertThat(run.exitCode()).as("%s", run).isZero();
        JsonNode submitted = lastLine(run.out());
        cluster().await("the summary of the job", () -> Files.exists(file));
        assertThat(sha(json(file))).isEqualTo(expected);
        requireReport(Path.of(submitted.required("run").asText()));

        String job = submitted.required("job").asText();
        CommandRun[] status = new CommandRun[1];
        cluster().await("the end of the job", () -> {
            status[0] = CommandRun.of(
                    "status", job.substring(0, 12), "--cluster", cluster().address(), "--json");
            return status[0].json().required("state").asText().equals("FINISHED");
        });
        JsonNode result = status[0].json();
        assertThat(result.required("run").asText())
                .isEqualTo(submitted.required("run").asText());
        assertThat(result.required("summary").asText()).isEqualTo(file.toString());
        assertThat(result.required("steps").asLong())
                .isEqualTo(json(file).required("steps").asLong());
        assertThat(CommandRun.of("status", "--cluster", cluster().address()).out())
                .contains("millrace digits", "finished");
    }

    @Test
    void flinksOwnClientRunsTheJobJar() throws Exception {
        ClientProcess.Ended run = flinkRun(List.of(), pipeline, "--set", "stages=auto");
        assertThat(run.exitCode()).as("%s", run).isZero();
        assertThat(run.out()).contains("auto    parallelism 2 (not measured: Flink's own ways of submission");
        assertThat(sha(CommandRun.summary(runs))).isEqualTo(expected);
        requireReport(CommandRun.folder(runs));

        Path open = Files.writeString(
                folder.resolve("open.yaml"), Files.readString(pipeline).replace("parallelism: 2\n", ""));
        ClientProcess.Ended all = flinkRun(List.of(), open);
        assertThat(all.exitCode()).as("%s", all).isZero();
        assertThat(all.out()).contains("slots   2 slots are free: the job uses all of them (parallelism is not set)");

        ClientProcess.Ended wrong = flinkRun(List.of(), pipeline, "--set", "batch.sice=3");
        assertThat(wrong.exitCode()).isNotZero();
        assertThat(wrong.out() + wrong.err()).contains("batch.sice: unknown key, did you mean 'size'?");
    }

    @Test
    void jarUploadedToTheWebInterfaceRunsThere() throws Exception {
        Path file = folder.resolve("uploaded.json");
        String jar = upload(programs().jobJar());
        String body = MAPPER.writeValueAsString(
                Map.of("entryClass", FlinkMain.class.getName(), "programArgsList", new String[] {
                    "train", pipeline.toString(), "--summary", file.toString()
                }));
        JsonNode answer = post("/jars/" + jar + "/run", "application/json", body.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.required("jobid").asText()).hasSize(32);
        cluster().await("the summary of the job", () -> Files.exists(file));
        assertThat(sha(json(file))).isEqualTo(expected);
    }

    @Test
    void jobDetachedByFlinksClientIsStoppedAndContinuesFromItsSavepoint() throws Exception {
        ClientProcess.Ended left = flinkRun(List.of("-d"), pipeline, "--set", SLOW);
        assertThat(left.out()).contains("Job has been submitted with JobID ");
        String job = left.out().replaceAll("(?s).*JobID (\\p{XDigit}{32}).*", "$1");
        Path first = CommandRun.folder(runs);
        awaitSteps(first);
        CommandRun stopped = CommandRun.of("stop", job, "--cluster", cluster().address(), "--json");
        assertThat(stopped.exitCode()).as("%s", stopped).isZero();
        String savepoint = stopped.json().required("savepoint").asText();
        cluster().await("the first run's summary", () -> Files.exists(first.resolve("summary.json")));
        assertThat(json(first.resolve("summary.json")).required("status").asText())
                .isEqualTo("interrupted");

        ClientProcess.Ended run = flinkRun(List.of("-s", savepoint), pipeline, "--set", SLOW);
        assertThat(run.exitCode()).as("%s", run).isZero();
        assertThat(CommandRun.folder(runs)).isNotEqualTo(first);
        assertThat(sha(CommandRun.summary(runs))).isEqualTo(expected);
        assertThat(new RunHistory(CommandRun.folder(runs)).steps())
                .hasSize(CommandRun.summary(runs).required("steps").asInt())
                .containsAll(new RunHistory(first).steps());
    }

    private static void awaitSteps(Path run) throws Exception {
        cluster().await("some steps", () -> new RunHistory(run).stepsWritten() >= STEPS_BEFORE);
    }

    @Test
    void interruptedClientSavesItsJobWhichIsResumed() throws Exception {
        Path released = folder.resolve("released-interrupted");
        Process client = programs()
                .begin(
                        "train",
                        pipeline.toString(),
                        "--set",
                        slowUntil(released),
                        "--cluster",
                        cluster().address());
        Path first;
        try {
            first = awaitRun(client);
            awaitSteps(first);
            new ProcessBuilder("kill", "-INT", Long.toString(client.pid()))
                    .start()
                    .waitFor();
            assertThat(client.waitFor()).as(programs().printed()).isEqualTo(ExitCode.INTERRUPTED);
        } finally {
            client.destroyForcibly();
        }
        assertThat(programs().printed())
                .containsPattern("interrupted [0-9,]+ samples in [0-9,]+ steps")
                .contains("written to " + first)
                .doesNotContain("Exception");
        assertThat(json(first.resolve("summary.json")).required("status").asText())
                .isEqualTo("interrupted");

        Files.createFile(released);
        ClientProcess.Ended resumed = train("--set", slowUntil(released), "--resume", first.toString());
        assertThat(resumed.exitCode()).as("%s", resumed).isZero();
        assertThat(resumed.err()).contains("resumes ");
        assertThat(sha(lastLine(resumed.out()))).isEqualTo(expected);
    }

    /** Returns the folder of the run that a client has just started, read from its output. */
    private static Path awaitRun(Process client) throws Exception {
        Pattern line = Pattern.compile("(?m)^run +(\\S+)");
        Matcher[] found = new Matcher[1];
        cluster().await("the run's folder", () -> {
            found[0] = line.matcher(programs().printed());
            return found[0].find() || !client.isAlive();
        });
        assertThat(client.isAlive()).as(programs().printed()).isTrue();
        return Path.of(found[0].group(1));
    }

    @Test
    void runningJobIsDiagnosedAndForeignJobsAreRefused() throws Exception {
        new DiagnosedJobs(cluster(), programs(), folder.resolve("diagnosed")).check();
    }

    @Test
    void scaledJobContinuesWithTheSameParameters() throws Exception {
        Path file = folder.resolve("scaled.json");
        Path released = folder.resolve("released-scaled");
        ClientProcess.Ended run =
                train("--set", slowUntil(released), "--set", "parallelism=1", "--detach", "--summary", file.toString());
        assertThat(run.exitCode()).as("%s", run).isZero();
        String job = lastLine(run.out()).required("job").asText();
        ClientProcess.Ended scaled = programs()
                .millrace("scale", job, "parallelism=2", "--cluster", cluster().address(), "--json");
        assertThat(scaled.exitCode()).as("%s", scaled).isZero();
        JsonNode result = lastLine(scaled.out());
        assertThat(result.required("how").asText()).isEqualTo("resubmitted");
        assertThat(result.required("pause_s").asDouble()).isPositive();
        Files.createFile(released);
        cluster()
                .await(
                        "the end of the scaled job",
                        () -> Files.exists(file)
                                && json(file).required("status").asText().equals("finished"));
        assertThat(sha(json(file))).isEqualTo(expected);
        requireReport(CommandRun.folder(runs));
    }

    /** Asserts that the job has written its report, which follows the summary and has the curves of all steps. */
    private static void requireReport(Path run) throws Exception {
        Path report = run.resolve("report.html");
        cluster()
                .await(
                        "the report of the job",
                        () -> Files.exists(report) && Files.readString(report).contains(", finished</title>"));
        assertThat(Files.readString(report))
                .contains("id=\"chart-course\"", "id=\"chart-loss\"", "id=\"chart-times\"", "limit unknown");
    }

    @Test
    void jobThatNeedsMoreSlotsReportsWhatItWaitsFor() throws Exception {
        ClientProcess.Ended run = train("--set", "parallelism=5", "--detach");
        assertThat(run.exitCode()).as("%s", run).isZero();
        assertThat(run.err()).contains("the job waits for 5 slots: the cluster has 2 in 1 TaskManager");
        String job = lastLine(run.out()).required("job").asText();
        CommandRun status = CommandRun.of("status", job, "--cluster", cluster().address());
        assertThat(status.out()).contains("waits for 5 slots");
        HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri("/jobs/" + job + "?mode=cancel"))
                                .method("PATCH", BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.discarding());
    }

    @Test
    void addressWhereNothingListensIsReportedInASentence() {
        CommandRun.of("train", pipeline.toString(), "--cluster", "127.0.0.1:1")
                .fails(ExitCode.FAILED, "no answer from Flink at http://127.0.0.1:1: no program listens there");
    }

    private static URI uri(String path) {
        return URI.create(cluster().web().toString().replaceAll("/+$", "") + path);
    }

    private static JsonNode post(String path, String type, byte[] body) throws IOException, InterruptedException {
        var response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri(path))
                                .header("Content-Type", type)
                                .POST(BodyPublishers.ofByteArray(body))
                                .build(),
                        BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return MAPPER.readTree(response.body());
    }

    /** Uploads a jar like the web UI and returns its id. */
    private static String upload(Path jar) throws IOException, InterruptedException {
        String boundary = "millrace-boundary";
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(("--" + boundary + "\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\""
                        + jar.getFileName() + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        body.writeBytes(Files.readAllBytes(jar));
        body.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
        String stored = post("/jars/upload", "multipart/form-data; boundary=" + boundary, body.toByteArray())
                .required("filename")
                .asText();
        return stored.substring(stored.lastIndexOf('/') + 1);
    }
}

package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.config.RunConfig;
import io.millrace.pipeline.web.OwnWeb;
import io.millrace.pipeline.web.RawHttp;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attacks on the REST interface of a Flink in this process while it runs a job. */
class EmbeddedWebITCase {
    private static final String FORBIDDEN = "HTTP/1.1 403 Forbidden\r\n";

    /** The number of jobs of strangers that have run, and of objects of strangers that were read. */
    private static final AtomicInteger STRANGERS = new AtomicInteger();

    private static final CountDownLatch RUNS = new CountDownLatch(1);

    @TempDir
    static Path folder;

    private static EmbeddedFlink flink;
    private static String job;

    @BeforeAll
    static void startAJob() throws Exception {
        flink = EmbeddedFlink.start(2, "0", RunConfig.Web.ON, temporary("open"));
        job = flink.jobs().submit(graph(EmbeddedWebITCase::waitForever)).toString();
        RUNS.await();
    }

    /** The job still runs after all attacks. */
    @AfterAll
    static void stop() throws Exception {
        try {
            assertThat(STRANGERS).hasValue(0);
            assertThat(new ClusterRest(flink.web()).jobs())
                    .singleElement()
                    .extracting(ClusterJob::id, ClusterJob::state)
                    .containsExactly(job, "RUNNING");
            assertThat(folder.resolve("savepoints")).doesNotExist();
        } finally {
            flink.close();
        }
    }

    private static Configuration temporary(String name) {
        Configuration configuration = new Configuration();
        configuration.set(CoreOptions.TMP_DIRS, folder.resolve(name).toString());
        return configuration;
    }

    private static StreamGraph graph(MapFunction<Long, Long> function) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        environment.setParallelism(1);
        environment.fromSequence(1, 1).map(function).returns(Long.class).sinkTo(new DiscardingSink<>());
        return environment.getStreamGraph();
    }

    private static Long waitForever(Long value) throws InterruptedException {
        RUNS.countDown();
        new CountDownLatch(1).await();
        return value;
    }

    private static String send(String line, String... headers) throws IOException {
        return RawHttp.send(flink.web(), line, headers);
    }

    @Test
    void theUserReadsWithoutPermissionForOtherOrigins() throws Exception {
        for (String path : List.of("/", "/jobs/overview", "/jobs/" + job, "/jobs/no-such-job", "/config")) {
            String answer = send("GET " + path);
            assertThat(answer).startsWith("HTTP/1.1 ").doesNotStartWith(FORBIDDEN);
            assertThat(answer.toLowerCase(Locale.ROOT))
                    .doesNotContain("access-control-allow-origin")
                    .contains("cross-origin-resource-policy: same-origin");
        }
        assertThat(send("GET /jobs/overview")).contains("200 OK", job);
        assertThat(send("GET /")).contains("200 OK", "<html");
        assertThat(flink.shownWeb()).contains(flink.web());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "GET /jobs/JOB/yarn-cancel, -, a path that only reads",
                "GET /jobs/JOB/%2579arn-stop, -, a path that only reads",
                "PATCH /jobs/JOB?mode=cancel, -, expected GET or HEAD",
                "PATCH /jobs/JOB, -, expected GET or HEAD",
                "POST /jobs/JOB/stop, -, expected GET or HEAD",
                "POST /jobs/JOB/savepoints, -, expected GET or HEAD",
                "DELETE /cluster, -, expected GET or HEAD",
                "OPTIONS /jobs, -, expected GET or HEAD",
                "GET /jobs, Origin: http://evil.example, the origin",
                "GET /jobs, Origin: null, the origin",
                "GET /jobs, Host: localhost, one header Host",
            })
    void whatChangesTheJobOrComesFromElsewhereIsRefused(String line, String header, String reason) throws Exception {
        String request = line.replace("JOB", job);
        assertThat(header == null ? send(request) : send(request, header))
                .startsWith(FORBIDDEN)
                .contains(reason);
    }

    @Test
    void foreignHostIsRefused() throws Exception {
        assertThat(RawHttp.send(flink.web(), "GET /jobs", List.of("Host: evil.example:8081"), new byte[0]))
                .startsWith(FORBIDDEN)
                .contains("evil.example:8081");
    }

    @Test
    void aSavepointIsNotWritten() throws Exception {
        String target = "{\"target-directory\":\"" + folder.resolve("savepoints") + "\",\"cancel-job\":true}";
        assertThat(RawHttp.send(
                        flink.web(),
                        "POST /jobs/" + job + "/savepoints",
                        List.of("Host: " + flink.web().getAuthority(), "Content-Type: application/json"),
                        target.getBytes(StandardCharsets.UTF_8)))
                .startsWith(FORBIDDEN);
    }

    @Test
    void aStrangersJobDoesNotRun() throws Exception {
        StreamGraph graph = graph(value -> (long) STRANGERS.incrementAndGet());
        try (RemoteFlink stranger =
                RemoteFlink.at(ClusterAddress.parse("localhost:" + flink.web().getPort()), List.of())) {
            assertThatThrownBy(() -> stranger.jobs().submit(graph))
                    .hasStackTraceContaining("expected GET or HEAD, found POST");
        }
    }

    /** An object that notices when it is read. */
    private static final class Trap implements Serializable {
        private static final long serialVersionUID = 1;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            STRANGERS.incrementAndGet();
        }
    }

    @Test
    void anObjectInAFormOfAWebPageIsNotRead() throws Exception {
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        form.writeBytes(part("request", "application/json", "{\"jobGraphFileName\":\"graph\",\"jobJarFileNames\":[]}"));
        form.writeBytes(part("file_0\"; filename=\"graph", "application/octet-stream", ""));
        try (ObjectOutputStream objects = new ObjectOutputStream(form)) {
            objects.writeObject(new Trap());
        }
        form.writeBytes("\r\n--limit--\r\n".getBytes(StandardCharsets.US_ASCII));
        List<String> files = files();
        assertThat(RawHttp.send(
                        flink.web(),
                        "POST /jobs",
                        List.of(
                                "Host: " + flink.web().getAuthority(),
                                "Origin: http://evil.example",
                                "Content-Type: multipart/form-data; boundary=limit"),
                        form.toByteArray()))
                .startsWith(FORBIDDEN);
        assertThat(files()).as("uploaded files").isEqualTo(files);
    }

    private static byte[] part(String name, String type, String content) {
        return ("\r\n--limit\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\nContent-Type: " + type
                        + "\r\n\r\n" + content)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static List<String> files() throws IOException {
        try (var files = Files.walk(folder.resolve("open"))) {
            return files.filter(file -> file.toString().contains("upload"))
                    .map(Path::toString)
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aRequestOfAnotherUserIsRefused() throws Exception {
        assumeTrue(
                run(List.of("setpriv", "--reuid=65534", "--clear-groups", "curl", "--version")).exitCode == 0,
                "only root can be another user, with setpriv and curl");
        for (String path : List.of("/jobs", "/", "/jobs/" + job)) {
            Ended curl =
                    run(List.of("setpriv", "--reuid=65534", "--clear-groups", "curl", "-s", "-i", flink.web() + path));
            assertThat(curl.out).startsWith(FORBIDDEN).contains("of the user 65534");
        }
        assertThat(run(List.of("curl", "-s", "-i", flink.web() + "/jobs")).out).startsWith("HTTP/1.1 200");
    }

    private record Ended(int exitCode, String out) {}

    private static Ended run(List<String> command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return new Ended(127, "there is no program " + command.get(0));
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out);
    }

    @Test
    void theSecondRequestOfAConnectionIsJudgedToo() throws Exception {
        String host = "Host: " + flink.web().getAuthority();
        String answers = RawHttp.send(
                flink.web(),
                "GET /jobs HTTP/1.1\r\n" + host + "\r\n\r\nGET /jobs/" + job + "/yarn-cancel",
                List.of(host),
                new byte[0]);
        assertThat(answers).contains("403 Forbidden").doesNotContain("202 Accepted");
    }

    @Test
    void thisProgramKeepsWhatItNeedsByItsHeader() throws Exception {
        Map.Entry<String, String> own = OwnWeb.header(flink.web()).orElseThrow();
        assertThat(send("POST /jobs/" + job + "/no-such-path", own.getKey() + ": " + own.getValue()))
                .startsWith("HTTP/1.1 404");
        assertThat(send("GET /jobs", own.getKey() + ": wrong")).contains("200 OK");
        assertThat(send("GET /jobmanager/config")).contains("200 OK").doesNotContain(own.getValue());
        assertThat(OwnWeb.header(URI.create("http://gpu-1:8081"))).isEmpty();
    }

    @Test
    void withoutAWebUiOnlyThisProgramReads() throws Exception {
        try (EmbeddedFlink closed = EmbeddedFlink.start(1, "0", RunConfig.Web.OFF, temporary("closed"))) {
            assertThat(closed.shownWeb()).isEmpty();
            assertThat(new ClusterRest(closed.web()).jobs()).isEmpty();
            for (String line : List.of("GET /", "GET /jobs", "POST /jobs", "HEAD /")) {
                assertThat(RawHttp.send(closed.web(), line)).startsWith(FORBIDDEN);
            }
        }
    }
}

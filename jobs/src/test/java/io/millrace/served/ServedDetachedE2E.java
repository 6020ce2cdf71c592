package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SlowTraining;
import io.millrace.cli.SmallData;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ProcessOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

/** Clients of a served run that belongs to no command. They find the sinks through Flink's REST interface. */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ServedDetachedE2E {
    private static final int STEPS_PER_EPOCH = ServedCluster.STEPS_PER_EPOCH;
    private static final int STEPS = ServedCluster.EPOCHS * STEPS_PER_EPOCH;
    private static final int KILL_AT = 10;

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

    private static String web() {
        return served().cluster().web().toString();
    }

    private static JsonNode awaitSummary(JsonNode result) throws Exception {
        Path summary = Path.of(result.required("summary").asText());
        served().cluster().await("the summary", () -> Files.exists(summary));
        return SlowTraining.json(Files.readString(summary));
    }

    @Test
    void runIsFoundOverRestAndWritesItsSummary() throws Exception {
        JsonNode result = served().detached();
        Path token = Path.of(result.required("token_file").asText());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo("rw-------");
        JsonNode addresses = served().sink(result.required("job").asText(), 0);
        try (ServedRank overTcp = new ServedRank(addresses.get(1).asText(), Files.readString(token), 0, 1)) {
            overTcp.connect();
            for (int step = 0; step < STEPS_PER_EPOCH; step++) {
                assertThat(overTcp.step()).isNotEmpty();
            }
        }
        try (ServedRank overUnix = new ServedRank(addresses.get(0).asText(), null, 0, 1)) {
            overUnix.connect();
            assertThat(overUnix.until(STEPS)).hasSize(ServedCluster.EPOCHS * ServedCluster.SAMPLES);
            assertThat(overUnix.step()).as("the end").isNull();
            overUnix.bye();
        }
        assertThat(awaitSummary(result).required("status").asText()).isEqualTo("finished");
    }

    @Test
    void stoppedRunWritesItsSummaryAndReport() throws Exception {
        JsonNode result = served().detached("--world", "2");
        String job = result.required("job").asText();
        try (ServedRank first = new ServedRank(served().sink(job, 0).get(0).asText(), null, 0, 2);
                ServedRank second = new ServedRank(served().sink(job, 1).get(0).asText(), null, 1, 2)) {
            first.connect();
            second.connect();
            int samples =
                    ServedRank.all(List.of(first, second), STEPS_PER_EPOCH / 2).size();
            String file = result.required("summary").asText();
            assertThat(served().stop(job)).contains("its clients continue with their next step", "summary " + file);
            JsonNode summary = SlowTraining.json(Files.readString(Path.of(file)));
            assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("interrupted");
            assertThat(summary.required("steps").asInt()).as("%s", summary).isEqualTo(STEPS_PER_EPOCH / 2);
            assertThat(summary.required("samples").asInt()).as("%s", summary).isEqualTo(samples);
            assertThat(summary.required("ranks")).hasSize(2);
            assertThat(Path.of(result.required("run").asText()).resolve("report.html"))
                    .content()
                    .contains("interrupted");
        }
    }

    @Test
    void pythonLoaderChoosesItsJobAndOutlivesTheTaskManagerOfItsSink() throws Exception {
        try (PythonLoader loader = new PythonLoader(folder)) {
            JsonNode result = served().detached("--set", "name=chosen");
            String other =
                    served().detached("--set", "name=other").required("job").asText();
            served().sink(other, 0);
            JsonNode sink = served().sink(result.required("job").asText(), 0);
            assertThat(loader.refused(web(), Map.of()))
                    .contains("2 jobs at " + web() + " deliver batches: choose one with job=", "chosen", "other");
            assertThat(loader.open(web(), Map.of("job", "chosen"))).isEqualTo("memfd");
            served().stop(other);
            List<Long> received = new ArrayList<>(loader.receive(0, KILL_AT));
            assertThat(loader.evaluate(2)).hasSize(64);
            requireEvaluation(loader);

            long pid = Long.parseLong(sink.get(0).asText().replaceAll(".*millrace-serve-(\\d+)-.*", "$1"));
            for (ClusterProcess process : served().cluster().taskManagers()) {
                if (process.pid() == pid) {
                    process.kill();
                }
            }
            served().cluster().cluster().forgetDead();
            served().cluster().add(new ProcessOptions(Map.of(), List.of(), Map.of(), List.of()));
            received.addAll(loader.receive(KILL_AT, STEPS));
            requireEvaluation(loader);
            loader.finish();
            assertThat(received)
                    .as("the samples, each once per epoch")
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, ServedCluster.EPOCHS)
                            .boxed()
                            .flatMap(epoch ->
                                    LongStream.range(0, ServedCluster.SAMPLES).boxed())
                            .toList());
            JsonNode summary = awaitSummary(result);
            assertThat(summary.required("status").asText()).as("%s", summary).isEqualTo("finished");
            assertThat(summary.required("restarts").asInt()).as("%s", summary).isPositive();
            assertThat(summary.required("steps").asInt()).as("%s", summary).isEqualTo(STEPS);
            assertThat(loader.refused(web(), Map.of("job", "chosen", "timeout", 3)))
                    .startsWith("ConnectionLost: ")
                    .contains("no job 'chosen' at " + web() + " delivers batches, and the latest", "FINISHED", "ended");
        }
    }

    /** Requires that a pass over the evaluation has each sample once, in the order of the dataset. */
    private static void requireEvaluation(PythonLoader loader) throws Exception {
        assertThat(loader.evaluate(Integer.MAX_VALUE))
                .isEqualTo(LongStream.range(0, ServedCluster.EVALUATED).boxed().toList());
    }

    @Test
    void pythonLoaderEndsAtOnceWhenItsJobIsCancelledAndNotWhenItIsStopped() throws Exception {
        try (PythonLoader loader = new PythonLoader(folder)) {
            String job = served().detached("--set", "name=cancelled", "--set", "dataset.epochs=1000")
                    .required("job")
                    .asText();
            loader.open(web(), Map.of("job", "cancelled"));
            loader.receive(0, KILL_AT);
            served().cancel(job);
            assertThat(loader.failed())
                    .startsWith(
                            "JobFailed: the job 'millrace cancelled' (" + job + ") was cancelled, in Flink's web UI");
            job = served().detached("--set", "name=stopped", "--set", "dataset.epochs=1000")
                    .required("job")
                    .asText();
            loader.open(web(), Map.of("job", "stopped", "timeout", 3));
            loader.receive(0, KILL_AT);
            served().stop(job);
            assertThat(loader.failed())
                    .startsWith("ConnectionLost: no connection to ")
                    .contains("the latest, 'millrace stopped' (" + job + ", FINISHED), has ended");
        }
    }

    @Test
    void pythonLoaderRaisesTheSentenceOfAJobThatFails() throws Exception {
        try (PythonLoader loader = new PythonLoader(folder)) {
            Path photos = SmallData.photos(folder.resolve("photos"), 20, 10, 1);
            Path broken =
                    SmallData.photosPipeline(folder.resolve("broken.yaml"), photos, folder.resolve("broken-runs"));
            Files.writeString(
                    broken,
                    Files.readString(broken)
                            .replace("max_quarantined: 1.0", "max_quarantined: 0.0")
                            .replace("parallelism: 2", "parallelism: 1"));
            JsonNode result = served().detached(broken, "--set", "name=broken");
            loader.open(web(), Map.of("job", "broken"));
            String failure = loader.failed();
            assertThat(failure)
                    .startsWith("JobFailed: the job 'millrace broken' ("
                            + result.required("job").asText() + ") has failed: ")
                    .contains("quarantine", "max_quarantined")
                    .doesNotContain("\tat ");
            assertThat(awaitSummary(result).required("message").asText()).contains("quarantine");
        }
    }
}

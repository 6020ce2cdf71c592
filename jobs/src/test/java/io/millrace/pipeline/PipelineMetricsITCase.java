package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.config.RunConfig;
import io.millrace.metrics.CoreWait;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.JobWatch;
import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads the figures of a running pipeline over Flink's REST interface, as the web UI does. */
class PipelineMetricsITCase {
    @TempDir
    Path folder;

    @Test
    void chainedStagesReportTheirOwnFigures() throws Exception {
        Path file = folder.resolve("endless.yaml");
        Files.writeString(file, """
                name: endless
                dataset: {format: synthetic, size: 500, shape: [32, 32, 3], classes: 10, epochs: endless}
                parallelism: 2
                transforms: [RandomCrop: {size: 28}, RandomHorizontalFlip]
                device: {transforms: [ToFloat]}
                train: {model: {mlp: {hidden: [16]}}, threads: 1}
                """);
        PipelineConfig config = ConfigReader.read(file, List.of());
        RunPlan plan = RunPlanner.plan(config);
        List<String> stages = new ArrayList<>(Pipeline.stages(config).keySet());
        stages.add("train");
        assertThat(stages).containsExactly("read", "RandomCrop", "RandomHorizontalFlip", "pack", "train");

        try (EmbeddedFlink flink =
                EmbeddedFlink.start(Pipeline.slots(config), "0", RunConfig.Web.ON, new Configuration())) {
            JobID job = flink.jobs().submit(Pipeline.graph(config, plan, Sinks.of(config, plan, folder)));
            CompletableFuture<JobReading> complete = new CompletableFuture<>();
            JobWatch watch = JobWatch.start(
                    new FlinkRest(flink.web()), job.toString(), stages, Duration.ofMillis(100), reading -> {
                        if (reading.stages().stream().allMatch(PipelineMetricsITCase::hasWorked)
                                && reading.trainer().loss() != null
                                && reading.machines().busyCores() != null) {
                            complete.complete(reading);
                        }
                    });
            JobReading reading;
            try {
                reading = complete.get(5, TimeUnit.MINUTES);
            } finally {
                watch.close();
            }
            assertThat(names(flink.web(), job)).contains("read", "RandomCrop", "RandomHorizontalFlip", "pack", "train");
            flink.jobs().cancel(job);
            flink.jobs().result(job).get();

            assertThat(reading.stages()).allSatisfy(stage -> {
                assertThat(stage.ownMillis()).as(stage.name()).isPositive();
                assertThat(stage.cpuMillis()).as(stage.name()).isPositive();
                assertThat(stage.bytes()).as(stage.name()).isPositive();
                assertThat(stage.failures()).as(stage.name()).isZero();
                assertThat(stage.recordsPerOwnSecondSum()).as(stage.name()).isPositive();
                assertThat(stage.recordsPerOwnSecondMax())
                        .as(stage.name())
                        .isPositive()
                        .isLessThanOrEqualTo(stage.recordsPerOwnSecondSum());
                if (CoreWait.ofThisThread().nanos().isPresent()) {
                    assertThat(stage.coreWaitMillis()).as(stage.name()).isNotNegative();
                }
            });
            assertThat(reading.stages().subList(0, 4)).allSatisfy(stage -> {
                assertThat(stage.ownP50Millis()).as(stage.name()).isPositive();
                assertThat(stage.ownP99Millis()).as(stage.name()).isGreaterThanOrEqualTo(stage.ownP50Millis());
                assertThat(stage.ownMaxMillis()).as(stage.name()).isGreaterThanOrEqualTo(stage.ownP99Millis());
            });
            assertThat(reading.tasks())
                    .extracting(TaskReading::stages)
                    .containsExactly(stages.subList(0, 4), List.of("train"));
            assertThat(reading.tasks().get(0).busyMillisPerSecond()).isBetween(0.0, 1000.0);
            assertThat(reading.machines().cores())
                    .isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(reading.stages().get(0).parallelism()).isEqualTo(2);
            assertThat(reading.trainer().steps()).isPositive();
            assertThat(reading.trainer().stepMillis()).isPositive();
            assertThat(reading.trainer().transferMillis()).isPositive();
            assertThat(reading.trainer().starvedMillis()).isNotNull();
            assertThat(reading.trainer().assembleMillis()).isPositive();
            assertThat(reading.trainer().cpuMillis()).isPositive();
            assertThat(reading.trainer().bytes()).isPositive();
        }
    }

    private static boolean hasWorked(StageReading stage) {
        return stage.ownMillis() != null
                && stage.recordsPerOwnSecondSum() != null
                && (stage.name().equals("train") || stage.ownMaxMillis() != null);
    }

    /** Returns the names of the graph's vertices, as the web UI shows them. */
    private static String names(URI web, JobID job) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(web.resolve("/jobs/" + job + "/plan")).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}

package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.RunConfig;
import io.millrace.lifecycle.Uninterrupted;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.JobDescription;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.sample.SampleUnit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningJobITCase {
    private static final long ENDLESS = Long.MAX_VALUE;

    /** Static, because the tasks run in this JVM. */
    private static volatile CountDownLatch runs = new CountDownLatch(1);

    private static volatile CountDownLatch release = new CountDownLatch(1);

    @TempDir
    Path folder;

    @BeforeEach
    void holdTheJob() {
        runs = new CountDownLatch(1);
        release = new CountDownLatch(1);
    }

    @Test
    void jobThatFinishesBeforeItIsStoppedHasFinishedByItself() throws Exception {
        try (EmbeddedFlink flink = start()) {
            JobID id = flink.jobs().submit(graph(1, false));
            runs.await();
            RunningJob job = RunningJob.of(new ClusterRest(flink.web()), id.toString());
            release.countDown();
            flink.jobs().result(id).get();

            assertThatThrownBy(() -> job.stop(flink.jobs()))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("job " + id + " has finished by itself before it could be saved");
        } finally {
            release.countDown();
        }
    }

    @Test
    void jobThatFailsBeforeItIsStoppedHasEnded() throws Exception {
        try (EmbeddedFlink flink = start()) {
            JobID id = flink.jobs().submit(graph(1, true));
            runs.await();
            RunningJob job = RunningJob.of(new ClusterRest(flink.web()), id.toString());
            release.countDown();
            JobResult result = flink.jobs().result(id).get();
            assertThat(result.isSuccess()).isFalse();

            assertThatThrownBy(() -> job.stop(flink.jobs()))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("job " + id + " has ended before it could be saved: it is FAILED");
        } finally {
            release.countDown();
        }
    }

    @Test
    void statusOfAStoppedJobIsStoppedAndNamesTheSavepoint() throws Exception {
        try (EmbeddedFlink flink = start()) {
            release.countDown();
            JobID id = flink.jobs().submit(graph(ENDLESS, false));
            runs.await();
            ClusterRest rest = new ClusterRest(flink.web());
            String savepoint = RunningJob.of(rest, id.toString())
                    .stop(flink.jobs())
                    .savepoint()
                    .orElseThrow();

            JobStatusLine status = status(flink, rest, id);
            assertThat(status.toMap()).containsEntry("state", "FINISHED").containsEntry("stopped", true);
            assertThat(status.lines(System.currentTimeMillis()))
                    .anyMatch(line -> line.contains("  stopped for "))
                    .contains("          savepoint " + savepoint);
        }
    }

    @Test
    void statusOfAJobThatFinishedByItselfIsFinished() throws Exception {
        try (EmbeddedFlink flink = start()) {
            release.countDown();
            JobID id = flink.jobs().submit(graph(1, false));
            flink.jobs().result(id).get();

            JobStatusLine status = status(flink, new ClusterRest(flink.web()), id);
            assertThat(status.toMap()).containsEntry("stopped", false);
            assertThat(status.lines(System.currentTimeMillis()))
                    .anyMatch(line -> line.contains("  finished for "))
                    .noneMatch(line -> line.contains("savepoint"));
        }
    }

    private static JobStatusLine status(EmbeddedFlink flink, ClusterRest rest, JobID id) throws Exception {
        return new JobStatusReader(rest, new FlinkRest(flink.web()), flink.jobs())
                .read(JobLookup.find(rest, id.toString()));
    }

    private static EmbeddedFlink start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("web.refresh-interval", "1");
        return EmbeddedFlink.start(1, "0", RunConfig.Web.OFF, configuration);
    }

    /** Returns a job that its first record holds until the test releases it, with the description of one of Millrace's. */
    private StreamGraph graph(long records, boolean failing) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        environment.setParallelism(1);
        environment
                .fromSequence(1, records)
                .map(value -> pass(value, failing))
                .returns(Long.class)
                .sinkTo(new DiscardingSink<>());
        StreamGraph graph = environment.getStreamGraph();
        Path file = Files.writeString(folder.resolve("x.yaml"), """
                dataset: {format: tar, path: data}
                batch: {size: 4}
                train: {model: none, loss: cross_entropy, optimizer: sgd}
                """);
        JobDescription.of(
                        ConfigReader.read(file, List.of()),
                        folder.toString(),
                        Optional.empty(),
                        SampleUnit.IMAGES,
                        Optional.empty(),
                        JobDescription.Consumer.TRAINERS)
                .attachTo(graph);
        return graph;
    }

    private static Long pass(Long value, boolean failing) {
        runs.countDown();
        Uninterrupted.await(release::await);
        if (failing) {
            throw new IllegalStateException("a record that fails");
        }
        return value;
    }
}

package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.RunConfig;
import io.millrace.lifecycle.Uninterrupted;
import io.millrace.pipeline.EmbeddedFlink;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;

class JobStopperITCase {
    /** Static, because the task runs in this JVM. */
    private static final CountDownLatch RUNS = new CountDownLatch(1);

    private static final CountDownLatch RELEASE = new CountDownLatch(1);

    @Test
    void aTaskThatRunsOnDoesNotHoldTheCommand() throws Exception {
        try (EmbeddedFlink flink = EmbeddedFlink.start(1, "0", RunConfig.Web.OFF, new Configuration())) {
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            environment.setParallelism(1);
            environment
                    .fromSequence(1, 1)
                    .map(JobStopperITCase::holdOut)
                    .returns(Long.class)
                    .sinkTo(new DiscardingSink<>());
            JobID job = flink.jobs().submit(environment.getStreamGraph());
            RUNS.await();
            CompletableFuture<JobResult> ending = flink.jobs().result(job);

            new JobStopper(flink.jobs(), job, null, Duration.ofSeconds(1)).stop(ending);

            assertThatThrownBy(ending::get)
                    .hasStackTraceContaining("a task of the job has not ended within 1 s after the job was cancelled");
            assertThat(Failure.of(new IllegalStateException(failure(ending))).unexpected())
                    .isFalse();
            RELEASE.countDown();
        } finally {
            RELEASE.countDown();
        }
    }

    private static Throwable failure(CompletableFuture<JobResult> ending) {
        return ending.<Throwable>handle((result, failure) -> failure).join();
    }

    /** Runs on in spite of a cancellation, as a function of a user may. */
    private static Long holdOut(Long value) {
        RUNS.countDown();
        Uninterrupted.await(RELEASE::await);
        return value;
    }
}

package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.image.ImageKernels;
import io.millrace.order.BatchPlan;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.report.FlinkRest;
import io.millrace.report.JobWatch;
import io.millrace.report.ProgressMeter;
import io.millrace.report.ProgressView;
import io.millrace.report.RunResult;
import io.millrace.report.RunSummary;
import io.millrace.report.RunSummary.Status;
import io.millrace.report.Terminal;
import io.millrace.sink.SinkSpec;
import io.millrace.sink.TrainReport;
import io.millrace.sink.TrainReports;
import java.io.OutputStreamWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One job on an embedded Flink, from submission to summary. */
final class EmbeddedRun {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedRun.class);

    /** Each look costs Flink and us some 30 ms of CPU time: often where a bar moves, seldom where lines are written. */
    private static final Duration BAR_INTERVAL = Duration.ofSeconds(1);

    private static final Duration LINE_INTERVAL = Duration.ofSeconds(3);

    /** Every row travels with its position, index and label. */
    private static final int ROW_OVERHEAD_BYTES = 3 * Long.BYTES;

    private final PipelineConfig config;
    private final RunPlan plan;
    private final EmbeddedFlink flink;
    private final long startedAtMillis;

    EmbeddedRun(PipelineConfig config, RunPlan plan, EmbeddedFlink flink, long startedAtMillis) {
        this.config = config;
        this.plan = plan;
        this.flink = flink;
        this.startedAtMillis = startedAtMillis;
    }

    /**
     * How it went.
     *
     * @param failure why the job failed; null when it did not
     */
    record Outcome(RunSummary summary, @Nullable Throwable failure) {}

    /** Runs the job to its end; when the user asks to stop, it stops after the step in training. */
    Outcome execute(Interrupt interrupt, SinkSpec sink) throws Exception {
        JobID job = flink.submit(Pipeline.graph(config, plan, sink));
        CompletableFuture<JobResult> ending = flink.result(job);
        Thread canceller = new Thread(() -> cancelWhen(interrupt, job, ending), "canceller");
        canceller.setDaemon(true);
        canceller.start();
        JobResult result;
        ProgressView view = new ProgressView(
                new OutputStreamWriter(System.err, Charset.defaultCharset()), Terminal.current(), System::nanoTime);
        JobWatch watch = watch(job, view);
        try {
            result = ending.get();
            watch.close();
            if (status(result) == Status.FINISHED) {
                view.completed();
            }
        } finally {
            watch.close();
            view.close();
        }
        long endedAtMillis = System.currentTimeMillis();
        TrainReports reports = TrainReports.of(flink.accumulators(job).get(TrainReport.ACCUMULATOR))
                .orElse(null);
        Status status = status(result);
        Throwable failure = status == Status.FAILED ? failure(result) : null;
        RunSummary summary = RunResult.summarize(
                config.name(),
                status,
                failure == null ? null : Failure.of(failure).sentence(),
                new RunSummary.Setup("host", config.parallelism(), ImageKernels.description()),
                startedAtMillis,
                endedAtMillis,
                reports,
                RunResult.finalStages(Pipeline.stages(config)),
                bytesPerSample(reports == null ? null : reports.whole()));
        return new Outcome(summary, failure);
    }

    /** Ragged rows differ, so that what was sent says more than the plan. */
    private long bytesPerSample(@Nullable TrainReport report) {
        if (report != null && report.samples() > 0) {
            return Math.round((double) report.sentBytes() / report.samples()) + ROW_OVERHEAD_BYTES;
        }
        return (long) plan.rows().rowBytes() + ROW_OVERHEAD_BYTES;
    }

    private JobWatch watch(JobID job, ProgressView view) {
        BatchPlan batches = plan.batches();
        Long epochs = batches.epochs() == BatchPlan.ENDLESS ? null : Long.valueOf(batches.epochs());
        ProgressMeter meter = new ProgressMeter(
                batches.trainSamples()
                        * (config.trainers().share() == TrainersConfig.Share.ALL
                                ? config.trainers().ranks()
                                : 1),
                epochs);
        List<String> stages = new ArrayList<>(Pipeline.stages(config).keySet());
        stages.add("train");
        return JobWatch.start(
                new FlinkRest(flink.web()),
                job.toString(),
                stages,
                Terminal.current().isPresent() ? BAR_INTERVAL : LINE_INTERVAL,
                reading -> view.show(meter.next(reading, System.nanoTime())));
    }

    private void cancelWhen(Interrupt interrupt, JobID job, CompletableFuture<JobResult> ending) {
        try {
            interrupt.await();
            if (!ending.isDone()) {
                flink.cancel(job);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the job could not be cancelled: {}", e.toString(), e);
        }
    }

    private static Status status(JobResult result) {
        return switch (result.getJobStatus().orElseThrow()) {
            case FINISHED -> Status.FINISHED;
            case CANCELED -> Status.INTERRUPTED;
            default -> Status.FAILED;
        };
    }

    private static Throwable failure(JobResult result) {
        return result.getSerializedThrowable()
                .map(e -> e.deserializeError(EmbeddedRun.class.getClassLoader()))
                .orElseGet(() -> new IllegalStateException("the job ended as " + result.getJobStatus()));
    }
}

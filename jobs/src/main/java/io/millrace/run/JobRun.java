package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.SlotsConfig;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.WholeRun;
import io.millrace.image.ImageKernels;
import io.millrace.metrics.EndedStages;
import io.millrace.metrics.StageFigures;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.Pipeline;
import io.millrace.report.FinalMetrics;
import io.millrace.report.Profile;
import io.millrace.report.RunResult;
import io.millrace.report.RunSummary;
import io.millrace.report.RunSummary.Status;
import io.millrace.report.html.ReadingLog;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainReports;
import io.millrace.sink.progress.QuarantineFiles;
import io.millrace.sink.trainer.TrainingDevice;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The supervision of one submitted job by its client, from the first reading of its figures to its summary.
 *
 * <p>Tested by {@code SubmissionE2E}.
 */
public final class JobRun {
    private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

    /** Tasks end some milliseconds after the job, unless the machine is busy. */
    private static final Duration MOST_WAIT_FOR_FIGURES = Duration.ofSeconds(30);

    private final PreparedRun run;
    private final PipelineConfig config;
    private final Path folder;
    private final FlinkJobs jobs;
    private final Where where;
    private final Verdicts verdicts;

    JobRun(PreparedRun run, FlinkJobs jobs, Where where, Verdicts verdicts) {
        this.run = run;
        this.config = run.config();
        this.folder = run.folder().path();
        this.jobs = jobs;
        this.where = where;
        this.verdicts = verdicts;
    }

    /** The choice whether the progress line of a running job names the limit of its throughput. */
    public enum Verdicts {
        SHOWN,
        HIDDEN
    }

    /** The place where the tasks of the job run. */
    public enum Where {
        /** The tasks run in this process, which can read all their metrics. */
        HERE,
        /** The tasks run in other processes, whose metrics are read over REST. */
        ELSEWHERE
    }

    /**
     * The outcome of a job.
     *
     * @param profile the time that each operation took
     * @param failure the reason why the job failed; null when it did not fail
     * @param course the readings that this client made while the job ran
     * @param machines the machines on which this client saw the job run
     * @param shownDevice the description of the device that was printed while the job ran; empty when none was
     */
    public record Outcome(
            RunSummary summary,
            Profile profile,
            @Nullable Throwable failure,
            ReadingLog course,
            MachinesReading machines,
            Optional<String> shownDevice) {}

    /**
     * Supervises the job until it ends. After an interrupt, the job is saved and stops after the current training step. A job
     * that delivers to clients is cancelled: it has nothing to save, and its sinks may wait for their clients.
     */
    Outcome await(JobID job, Interrupt interrupt) throws Exception {
        CompletableFuture<JobResult> ending = jobs.result(job);
        Optional<String> savepoints = Checkpointing.location(config.recovery(), folder);
        JobStopper stopper = new JobStopper(jobs, job, run.isServed() ? null : savepoints.orElse(null), where);
        Thread stopping = new Thread(() -> stopper.stopWhen(interrupt, ending), "stopper");
        stopping.setDaemon(true);
        stopping.start();
        JobResult result;
        JobDisplay display = new JobDisplay(job, run, jobs, where, verdicts);
        try (display) {
            result = ending.get();
            display.ended(
                    result.getJobStatus().orElseThrow() == JobStatus.FINISHED && !stopper.isStopping(),
                    reports(result));
        }
        long endedAtMillis = System.currentTimeMillis();
        TrainReports reports = withMergedQuarantine(reports(result).orElse(null));
        TrainReport report = reports == null ? null : reports.whole();
        // After "stop", a job that delivers to clients finishes.
        boolean cancelled =
                run.isServed() && !stopper.isStopping() && result.getJobStatus().orElseThrow() == JobStatus.CANCELED;
        Status status = cancelled ? Status.FAILED : status(result, report);
        Throwable failure = cancelled ? new CancelledException() : status == Status.FAILED ? failure(result) : null;
        List<StageReading> stages = stages(job, display.latest(), result);
        RunSummary summary = RunResult.summarize(
                        config.name(),
                        status,
                        failure == null ? null : Failure.of(failure).sentence(),
                        setup(display.latest(), display.config(), result),
                        run.startedAtMillis(),
                        endedAtMillis,
                        reports,
                        stages,
                        run.plan().columns(),
                        measured(display, stages, reports)
                                .map(measurement -> measurement
                                        .with(stages)
                                        .summary(report == null ? null : RunResult.steady(report)))
                                .orElse(null))
                .with(run.plan().shares());
        Profile profile = Profile.of(
                summary, report == null ? List.of() : report.attempt().operations());
        return new Outcome(
                summary, profile, failure, display.course(), display.latest().machines(), display.shownDevice());
    }

    private RunSummary.Setup setup(JobReading reading, PipelineConfig latest, JobResult result)
            throws IOException, ClassNotFoundException {
        int slots = reading.tasks().stream()
                .filter(task -> latest.slots().meaning() == SlotsConfig.Meaning.MOST
                        && task.stages().contains(Pipeline.SOURCE))
                .map(TaskReading::parallelism)
                .findFirst()
                .orElse(latest.slots().parallelism());
        RunSummary.Setup setup = RunSummary.Setup.configured(
                config, run.plan().unit(), slots, where == Where.HERE ? ImageKernels.description() : null);
        return run.isServed() ? setup.ofClients() : setup.with(opened(result));
    }

    /** Returns the measurement since the warm-up. A run that ended before the warm-up is measured as a whole. */
    private Optional<Measurement> measured(
            JobDisplay display, List<StageReading> stages, @Nullable TrainReports reports) {
        Optional<Measurement> warm = display.measured();
        return warm.isPresent() || reports == null
                ? warm
                : WholeRun.measure(display.latest(), stages, reports, run.setting());
    }

    /**
     * Merges the files quarantine.jsonl of several trainers and counts the bad samples, if this process can read the
     * files.
     */
    private @Nullable TrainReports withMergedQuarantine(@Nullable TrainReports reports) throws IOException {
        int ranks = config.train().trainers().ranks();
        if (reports == null || ranks == 1) {
            return reports;
        }
        OptionalLong bad = QuarantineFiles.merge(folder, ranks, "client");
        return bad.isPresent() ? reports.counting(bad.getAsLong()) : reports;
    }

    /** Returns the reports of the trainers; empty when no trainer has begun. */
    static Optional<TrainReports> reports(JobResult result) throws IOException, ClassNotFoundException {
        return TrainReports.of(FlinkJobs.accumulators(result).get(TrainReport.ACCUMULATOR));
    }

    /** Returns the last figures of the data stages, by stage. */
    static Map<String, StageFigures> lastFigures(JobResult result) throws IOException, ClassNotFoundException {
        return EndedStages.of(FlinkJobs.accumulators(result).get(EndedStages.NAME));
    }

    /**
     * Returns the devices that the trainers opened; null when none was opened. They are not read from the report,
     * because a run that failed may have none.
     */
    private static @Nullable DeviceFigures opened(JobResult result) throws IOException, ClassNotFoundException {
        return TrainingDevice.Opened.whole(FlinkJobs.accumulators(result).get(TrainingDevice.ACCUMULATOR));
    }

    /**
     * Returns the final figures of the stages. The metrics of a remote task end with it, so those of remote tasks arrive with the
     * job's result.
     */
    private List<StageReading> stages(JobID job, JobReading latest, JobResult result)
            throws InterruptedException, IOException, ClassNotFoundException {
        Map<String, Integer> parallelisms = Pipeline.stages(config);
        if (where == Where.ELSEWHERE) {
            return RunResult.finalStages(latest.stages().subList(0, parallelisms.size()), lastFigures(result));
        }
        if (!FinalMetrics.awaitLast(job.toString(), MOST_WAIT_FOR_FIGURES)) {
            LOG.warn("some figures of the stages are missing, because their tasks have not ended");
        }
        return RunResult.finalStages(parallelisms);
    }

    /** Returns the status of the run. Flink reports a job that was saved and stopped as finished. */
    private static Status status(JobResult result, @Nullable TrainReport report) {
        return switch (result.getJobStatus().orElseThrow()) {
            case FINISHED -> report != null && report.finished() ? Status.FINISHED : Status.INTERRUPTED;
            case CANCELED -> Status.INTERRUPTED;
            default -> Status.FAILED;
        };
    }

    private Throwable failure(JobResult result) {
        Throwable thrown = thrown(result);
        return where == Where.HERE ? thrown : MissingLibraryHint.withHint(thrown, jobs.web());
    }

    /** Returns the reason why a job on a cluster failed. */
    static Exception failure(JobResult result, URI cluster) {
        Throwable thrown = MissingLibraryHint.withHint(thrown(result), cluster);
        return thrown instanceof Exception exception ? exception : new ExecutionException(thrown);
    }

    private static Throwable thrown(JobResult result) {
        return result.getSerializedThrowable()
                .map(e -> e.deserializeError(JobRun.class.getClassLoader()))
                .orElseGet(() -> new IllegalStateException("the job ended as "
                        + result.getJobStatus().map(JobStatus::name).orElse("UNKNOWN")));
    }
}

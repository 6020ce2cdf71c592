package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.diagnosis.LiveVerdict;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.WholeRun;
import io.millrace.diagnosis.auto.LiveChoice;
import io.millrace.image.ImageKernels;
import io.millrace.order.BatchPlan;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.JobDescription;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.report.Profile;
import io.millrace.report.ProgressMeter;
import io.millrace.report.ProgressReading;
import io.millrace.report.ProgressView;
import io.millrace.report.RunResult;
import io.millrace.report.RunSummary;
import io.millrace.report.RunSummary.Status;
import io.millrace.report.Terminal;
import io.millrace.report.html.ReadingLog;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.rest.JobReading;
import io.millrace.rest.JobWatch;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.StageReading;
import io.millrace.resume.FinalState;
import io.millrace.sink.QuarantineFiles;
import io.millrace.sink.SinkSpec;
import io.millrace.sink.TrainReport;
import io.millrace.sink.TrainReports;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.jspecify.annotations.Nullable;

/** One job, from submission to summary. */
public final class JobRun {
    /** Each look costs Flink and us some 30 ms of CPU time: often where a bar moves, seldom where lines are written. */
    private static final Duration BAR_INTERVAL = Duration.ofSeconds(1);

    private static final Duration LINE_INTERVAL = Duration.ofSeconds(3);

    private final PipelineConfig config;
    private final RunPlan plan;
    private final FlinkJobs jobs;
    private final Where where;
    private final long startedAtMillis;
    private final Verdicts verdicts;

    public JobRun(
            PipelineConfig config, RunPlan plan, FlinkJobs jobs, Where where, long startedAtMillis, Verdicts verdicts) {
        this.config = config;
        this.plan = plan;
        this.jobs = jobs;
        this.where = where;
        this.startedAtMillis = startedAtMillis;
        this.verdicts = verdicts;
    }

    /** Whether it is told, while the job runs, what limits its speed. */
    public enum Verdicts {
        SHOWN,
        HIDDEN
    }

    /** Where the tasks run. */
    public enum Where {
        /** In this process, which sees all that they measure. */
        HERE,
        /** In others, of which REST tells. */
        ELSEWHERE
    }

    /**
     * How it went.
     *
     * @param profile what each operation took
     * @param failure why the job failed; null when it did not
     * @param course of the run, as it was seen from here
     * @param machines that it ran on, likewise
     */
    public record Outcome(
            RunSummary summary,
            Profile profile,
            @Nullable Throwable failure,
            ReadingLog course,
            MachinesReading machines) {}

    /**
     * Submits the job.
     *
     * @param summary the file that the job itself will write its summary to; empty: none
     */
    public JobID submit(SinkSpec sink, Origin origin, Optional<Path> summary) throws Exception {
        Path folder = Path.of(sink.folder());
        FinalState.identify(folder, PositionSettings.of(config, plan.batches(), folder));
        StreamGraph graph = Pipeline.graph(config, plan, sink, origin);
        JobDescription.of(config, sink.folder(), summary.map(Path::toString)).attachTo(graph);
        return jobs.submit(graph, origin.restore());
    }

    /** Watches the job to its end; when the user asks to stop, it is saved and stops after the step in training. */
    public Outcome await(JobID job, Interrupt interrupt, SinkSpec sink) throws Exception {
        CompletableFuture<JobResult> ending = jobs.result(job);
        JobStopper stopper =
                new JobStopper(jobs, job, Checkpointing.location(config.recovery(), Path.of(sink.folder())));
        Thread stopping = new Thread(() -> stopper.stopWhen(interrupt, ending), "stopper");
        stopping.setDaemon(true);
        stopping.start();
        JobResult result;
        ProgressView view = new ProgressView(
                new OutputStreamWriter(System.err, Charset.defaultCharset()), Terminal.current(), System::nanoTime);
        LiveVerdict live = new LiveVerdict(Setting.of(config, plan));
        ReadingLog course = new ReadingLog();
        Optional<LiveRescale> rescale = rescale(job, view);
        JobWatch watch = watch(job, view, live, rescale, course);
        try {
            result = ending.get();
            watch.close();
            if (result.getJobStatus().orElseThrow() == JobStatus.FINISHED && !stopper.asked()) {
                view.completed();
            }
        } finally {
            watch.close();
            view.close();
        }
        long endedAtMillis = System.currentTimeMillis();
        TrainReports reports = counted(reports(result).orElse(null), Path.of(sink.folder()));
        TrainReport report = reports == null ? null : reports.whole();
        Status status = status(result, report);
        Throwable failure = status == Status.FAILED ? failure(result) : null;
        List<StageReading> stages = stages(watch.latest());
        RunSummary summary = RunResult.summarize(
                config.name(),
                status,
                failure == null ? null : Failure.of(failure).sentence(),
                RunSummary.Setup.configured(
                        config,
                        rescale.map(LiveRescale::now).orElse(config).parallelism(),
                        where == Where.HERE ? ImageKernels.description() : null),
                startedAtMillis,
                endedAtMillis,
                reports,
                stages,
                plan.sent(),
                measured(live, watch.latest(), stages, reports)
                        .map(Measurement::summary)
                        .orElse(null));
        Profile profile = Profile.of(summary, report == null ? List.of() : report.attempt().operations());
        return new Outcome(summary, profile, failure, course, watch.latest().machines());
    }

    /** After the warm-up; of a run that was over before, in all. */
    private Optional<Measurement> measured(
            LiveVerdict live, JobReading latest, List<StageReading> stages, @Nullable TrainReports reports) {
        Optional<Measurement> warm = live.whole();
        return warm.isPresent() || reports == null
                ? warm
                : WholeRun.measure(latest, stages, reports, Setting.of(config, plan));
    }

    /** With several trainers brings their quarantine.jsonl together, where this process sees them. */
    private @Nullable TrainReports counted(@Nullable TrainReports reports, Path folder) throws IOException {
        int ranks = config.trainers().ranks();
        if (reports == null || ranks == 1) {
            return reports;
        }
        OptionalLong bad = QuarantineFiles.merge(folder, ranks, "client");
        return bad.isPresent() ? reports.counting(bad.getAsLong()) : reports;
    }

    /** What the trainers told; empty when none began. */
    static Optional<TrainReports> reports(JobResult result) throws IOException, ClassNotFoundException {
        return TrainReports.of(FlinkJobs.accumulators(result).get(TrainReport.ACCUMULATOR));
    }

    /** Metrics end with their task; of tasks elsewhere the last reading is what remains. */
    private List<StageReading> stages(JobReading latest) {
        Map<String, Integer> parallelisms = Pipeline.stages(config);
        return where == Where.HERE
                ? RunResult.finalStages(parallelisms)
                : latest.stages().subList(0, parallelisms.size());
    }

    /** Of a job with something left open that goes on from its checkpoint. Here there is nobody who gives it more slots. */
    private Optional<LiveRescale> rescale(JobID job, ProgressView view) {
        boolean open = config.auto().choosesAnything()
                && where == Where.ELSEWHERE
                && config.recovery().checkpoint().isPresent();
        return open
                ? Optional.of(new LiveRescale(
                        new ClusterRest(jobs.web()),
                        job.toString(),
                        new LiveChoice(config, Setting.of(config, plan)),
                        view::message))
                : Optional.empty();
    }

    private JobWatch watch(
            JobID job, ProgressView view, LiveVerdict live, Optional<LiveRescale> rescale, ReadingLog course) {
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
        ResourceWaitPrinter waiting = new ResourceWaitPrinter(
                new ClusterRest(jobs.web()),
                job.toString(),
                SlotRequirement.of(config),
                view::message,
                System::nanoTime);
        return JobWatch.start(
                new FlinkRest(jobs.web()),
                job.toString(),
                stages,
                Terminal.current().isPresent() ? BAR_INTERVAL : LINE_INTERVAL,
                reading -> {
                    course.add(reading);
                    Optional<Measurement> measured = live.next(reading);
                    ProgressReading progress = meter.next(reading, System.nanoTime());
                    view.show(
                            verdicts == Verdicts.SHOWN
                                    ? progress.limitedBy(
                                            measured.map(m -> m.verdict().line())
                                                    .orElse(null))
                                    : progress);
                    waiting.look(reading);
                    measured.ifPresent(m -> rescale.ifPresent(r -> r.look(m, reading)));
                });
    }

    /** A job that was saved and stopped counts as finished with Flink. */
    private static Status status(JobResult result, @Nullable TrainReport report) {
        return switch (result.getJobStatus().orElseThrow()) {
            case FINISHED -> report != null && report.finished() ? Status.FINISHED : Status.INTERRUPTED;
            case CANCELED -> Status.INTERRUPTED;
            default -> Status.FAILED;
        };
    }

    private Throwable failure(JobResult result) {
        Throwable thrown = thrown(result);
        return where == Where.HERE ? thrown : MissingLibraryHint.explained(thrown, jobs.web());
    }

    /** Why a job on a cluster failed. */
    static Exception failure(JobResult result, URI cluster) {
        Throwable thrown = MissingLibraryHint.explained(thrown(result), cluster);
        return thrown instanceof Exception exception ? exception : new ExecutionException(thrown);
    }

    private static Throwable thrown(JobResult result) {
        return result.getSerializedThrowable()
                .map(e -> e.deserializeError(JobRun.class.getClassLoader()))
                .orElseGet(() -> new IllegalStateException("the job ended as " + result.getJobStatus()));
    }
}

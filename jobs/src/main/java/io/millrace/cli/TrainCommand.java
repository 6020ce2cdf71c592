package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.JobJars;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.report.ProfileTable;
import io.millrace.report.RunFolder;
import io.millrace.report.RunSummary;
import io.millrace.report.SummaryFile;
import io.millrace.report.html.HtmlReport;
import io.millrace.report.html.Machine;
import io.millrace.report.html.UnwatchedRun;
import io.millrace.rest.ClusterRest;
import io.millrace.resume.ResumePoint;
import io.millrace.run.AutoStart;
import io.millrace.run.DetachedStart;
import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import io.millrace.run.FirstUse;
import io.millrace.run.FlinkStart;
import io.millrace.run.Interrupt;
import io.millrace.run.JobRun;
import io.millrace.run.KernelsInUse;
import io.millrace.run.ProgramStart;
import io.millrace.run.RunSummaryPrinter;
import io.millrace.run.UsageException;
import io.millrace.sink.SinkSpec;
import io.millrace.trace.Recording;
import io.millrace.trace.TraceFolder;
import io.millrace.train.engine.TrainingRuntime;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code train <pipeline>}: runs a pipeline on a Flink in this process, or on a cluster. */
@Command(
        name = "train",
        description = "Trains a model as a pipeline file says, and tells where the time went.",
        footer = {
            "  ./millrace train conf/digits.yaml",
            "  ./millrace train conf/photos.yaml --set dataset.epochs=2 --json",
            "  ./millrace train conf/digits.yaml --set stages=separate --linger",
            "  ./millrace train conf/digits.yaml --resume latest --set dataset.epochs=6",
            "  ./millrace train conf/photos.yaml --cluster gpu-1:8081 --detach"
        })
final class TrainCommand extends CliCommand {
    private static final Logger LOG = LoggerFactory.getLogger(TrainCommand.class);

    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Mixin
    private ResumeArguments resume = new ResumeArguments();

    @Mixin
    private TargetArguments target = new TargetArguments();

    @Option(names = "--linger", description = "Keep the web UI up after the end, until Ctrl-C.")
    private boolean linger;

    @Option(
            names = "--verdict",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Tell while it runs what limits the speed, and what fixing it would give. On by default.")
    private boolean verdict;

    @Option(
            names = "--profile",
            description = "Tell at the end what each operation took: each stage, and each part of a training step.")
    private boolean profile;

    @Option(names = "--trace", description = "Record who did what when, for Perfetto: trace.json in the run's folder.")
    private boolean trace;

    @Override
    public Integer call() throws Exception {
        long startedAtMillis = ProgramStart.atMillis();
        Optional<ClusterAddress> cluster = target.cluster();
        try (Interrupt interrupt = new Interrupt()) {
            return cluster.isEmpty()
                    ? train(startedAtMillis, interrupt)
                    : trainElsewhere(cluster.get(), startedAtMillis, interrupt);
        }
    }

    private int train(long startedAtMillis, Interrupt interrupt) throws Exception {
        PrintStream text = output().text();
        PipelineConfig given = TransformPlacement.here(
                ConfigReader.read(pipeline.file(), pipeline.settings()).withoutPlacement());
        FileSystems.initialize(given.run().flink());
        String kernels = KernelsInUse.description();
        FirstUse.makeData(given, text);

        // What takes seconds to start, starts at once: Flink, if its slots are known, PyTorch, and the look at the
        // data.
        boolean auto = given.slots().auto().choosesAnything();
        Optional<FlinkStart> early = auto ? Optional.empty() : Optional.of(FlinkStart.begin(given));
        CompletableFuture<Void> engine = CompletableFuture.runAsync(TrainingRuntime::preload);
        RunPlan plan;
        Optional<ResumePoint> from;
        try {
            plan = RunPlanner.plan(given);
            from = resume.find(given, plan);
        } catch (Exception e) {
            early.ifPresent(FlinkStart::abandon);
            throw e;
        }
        PipelineConfig config = auto ? new AutoStart(given, interrupt, text).here() : given;
        if (interrupt.asked()) {
            return interruptedBefore();
        }
        try (EmbeddedFlink flink =
                early.orElseGet(() -> FlinkStart.begin(config)).await()) {
            engine.join();
            RunFolder folder = RunFolder.fresh(config.run().folder(), LocalDateTime.now(ZoneId.systemDefault()));
            RunSummaryPrinter.begin(text, config, plan, flink.web(), folder);
            text.println("kernels " + kernels);
            from.ifPresent(point -> text.println("resumes " + point.path()));
            JobRun run = new JobRun(config, plan, flink.jobs(), JobRun.Where.HERE, startedAtMillis, verdicts());
            SinkSpec sink = recorded(ResumeArguments.sink(Sinks.of(config, plan, folder.path()), from), 1);
            interrupt.begun();
            JobID job = run.submit(sink, resume.origin(from), Optional.empty());
            JobRun.Outcome outcome = run.await(job, interrupt, sink);
            RunSummary summary = ended(outcome, folder, config, Machine.here());
            if (linger && summary.status() != RunSummary.Status.INTERRUPTED) {
                text.println("the web UI stays at " + flink.web() + " until Ctrl-C");
                interrupt.await();
            }
            output().resultLine(summary.toJson());
            return RunSummaryPrinter.exitCode(summary);
        }
    }

    /** Tells and writes how the run ended. */
    private RunSummary ended(
            JobRun.Outcome outcome, RunFolder folder, PipelineConfig config, Map<String, String> machine)
            throws IOException {
        RunSummary summary = outcome.summary();
        RunSummaryPrinter.end(output().text(), summary);
        if (profile) {
            output().text().println();
            output().text().print(ProfileTable.render(outcome.profile()));
        }
        if (outcome.failure() != null) {
            ExecutionErrors.report(outcome.failure(), err());
        }
        if (target.summary().isPresent()) {
            SummaryFile.write(summary, target.summary().get());
        } else {
            folder.write(summary);
        }
        folder.removeEmpty(Checkpointing.FOLDER);
        output().text().println("written to " + folder.path());
        report(outcome, folder, config, machine);
        if (trace) {
            tellTrace(folder);
        }
        return summary;
    }

    /** Has all tasks of the job recorded where that is asked for. */
    private SinkSpec recorded(SinkSpec sink, int processes) {
        return trace ? sink.recorded(Recording.begin(Path.of(sink.run().folder()), processes)) : sink;
    }

    /** As with the report: the run is over. */
    private void tellTrace(RunFolder folder) {
        String told;
        try {
            told = TraceFolder.merge(folder.path())
                    .map(whole -> whole.file() + (whole.parts() == 1 ? "" : " (" + whole.parts() + " parts)"))
                    .orElse("none here: each TaskManager writes its own into " + folder.file(TraceFolder.NAME)
                            + " on its machine");
        } catch (IOException e) {
            LOG.warn("the trace could not be put together", e);
            told = "none: " + Failure.of(e).sentence();
        }
        output().text().println("trace   " + told);
    }

    /** The run is over and its summary written: a report that cannot be made is told, and changes nothing of it. */
    private void report(JobRun.Outcome outcome, RunFolder folder, PipelineConfig config, Map<String, String> machine) {
        try {
            output().text()
                    .println("report  "
                            + HtmlReport.write(
                                    folder,
                                    config,
                                    outcome.summary(),
                                    outcome.profile(),
                                    ZonedDateTime.now(ZoneId.systemDefault()),
                                    machine,
                                    outcome.course()));
        } catch (IOException e) {
            LOG.warn("the report could not be written", e);
            output().text().println("report  none: " + Failure.of(e).sentence());
        }
    }

    /** The same on a cluster, which this process only watches, or leaves alone. */
    private int trainElsewhere(ClusterAddress cluster, long startedAtMillis, Interrupt interrupt) throws Exception {
        if (linger) {
            throw new UsageException("--linger keeps the web UI of a Flink in this process; a cluster has its own");
        }
        if (trace && target.detached()) {
            throw new UsageException(
                    "--trace is put together at the end by who waits for it; with --detach nobody does");
        }
        if (profile && target.detached()) {
            throw new UsageException(
                    "--profile tells at the end what was measured; with --detach nobody is there to read it");
        }
        PipelineConfig given = TransformPlacement.of(
                ConfigReader.read(pipeline.file(), pipeline.settings()).absolute());
        FileSystems.initialize(given.run().flink());
        ClusterRest rest = new ClusterRest(cluster.web());
        TargetArguments.requireSameFlink(rest.flinkVersion());
        List<Path> jars = JobJars.find(System.getenv().getOrDefault(JobJars.VARIABLE, ""));
        FirstUse.makeData(given, output().text());
        RunPlan plan = RunPlanner.plan(given);
        Optional<ResumePoint> from = resume.find(given, plan);
        try (RemoteFlink flink = RemoteFlink.at(cluster, jars)) {
            PipelineConfig config = given.slots().auto().choosesAnything()
                    ? new AutoStart(given, interrupt, output().text()).on(flink.jobs(), rest)
                    : given;
            if (interrupt.asked()) {
                return interruptedBefore();
            }
            RunFolder folder = RunFolder.fresh(config.run().folder(), LocalDateTime.now(ZoneId.systemDefault()));
            RunSummaryPrinter.begin(output().text(), config, plan, cluster.web(), folder);
            from.ifPresent(point -> output().text().println("resumes " + point.path()));
            JobRun run = new JobRun(config, plan, flink.jobs(), JobRun.Where.ELSEWHERE, startedAtMillis, verdicts());
            SinkSpec sink = recorded(
                    ResumeArguments.sink(Sinks.of(config, plan, folder.path()), from),
                    rest.taskManagers().size());
            if (target.detached()) {
                Path summary =
                        target.summary().orElse(folder.file(RunFolder.SUMMARY)).toAbsolutePath();
                JobID job = run.submit(
                        sink.reportingTo(UnwatchedRun.of(config, plan, folder.path(), summary, startedAtMillis)),
                        resume.origin(from),
                        Optional.of(summary));
                output().text().println("job     " + job);
                output().text().println("summary " + summary + " (when it ends)");
                DetachedStart.tell(rest, flink.jobs(), job, SlotRequirement.of(config), err());
                output().result(Map.of(
                        "job", job.toString(), "run", folder.path().toString(), "summary", summary.toString()));
                return ExitCode.OK;
            }
            interrupt.begun();
            JobID job = run.submit(sink, resume.origin(from), Optional.empty());
            output().text().println("job     " + job);
            JobRun.Outcome outcome = run.await(job, interrupt, sink);
            RunSummary summary = ended(outcome, folder, config, Machine.of(outcome.machines()));
            output().resultLine(summary.toJson());
            return RunSummaryPrinter.exitCode(summary);
        }
    }

    private int interruptedBefore() {
        err().println("millrace: interrupted before training began");
        return ExitCode.INTERRUPTED;
    }

    private JobRun.Verdicts verdicts() {
        return verdict ? JobRun.Verdicts.SHOWN : JobRun.Verdicts.HIDDEN;
    }
}

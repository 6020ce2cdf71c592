package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.pipeline.web.OwnWeb;
import io.millrace.report.ProfileTable;
import io.millrace.report.RunSummary;
import io.millrace.resume.ResumePoints;
import io.millrace.run.ExitCode;
import io.millrace.run.Interrupt;
import io.millrace.run.JobRun;
import io.millrace.run.PreparedRun;
import io.millrace.run.ProgramStart;
import io.millrace.run.RunFiles;
import io.millrace.run.RunRequest;
import io.millrace.run.RunSummaryPrinter;
import io.millrace.run.Submission;
import io.millrace.run.SubmittedJob;
import io.millrace.run.UsageException;
import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code train <pipeline>}, which runs a pipeline on a Flink in this process or on a cluster.
 *
 * <p>Tested by {@code ResumeITCase} and {@code BadPipelineTest}.
 */
@Command(
        name = "train",
        description = "Trains a model as a pipeline file describes, and reports where the time went.",
        footer = {
            "  ./millrace train conf/digits.yaml",
            "  ./millrace train conf/photos.yaml --set dataset.epochs=2 --json",
            "  ./millrace train conf/digits.yaml --set stages=separate --linger",
            "  ./millrace train conf/digits.yaml --resume latest --set dataset.epochs=6",
            "  ./millrace train conf/photos.yaml --cluster gpu-1:8081 --detach"
        })
final class TrainCommand extends CliCommand {
    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Mixin
    private ResumeArguments resume = new ResumeArguments();

    @Mixin
    private TargetArguments target = new TargetArguments();

    @Option(names = "--linger", description = "Keep the web UI running after the end, until Ctrl-C.")
    private boolean linger;

    @Option(
            names = "--verdict",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Show during the run what limits the speed, and what removing the limit would gain. On by default.")
    private boolean verdict;

    @Mixin
    private DetailArgument detail = new DetailArgument();

    @Option(
            names = "--profile",
            description = "Print at the end the time of each operation: each stage and each part of a training step.")
    private boolean profile;

    @Option(
            names = "--trace",
            description = "Record a timeline of all tasks for Perfetto: trace.json in the run's folder.")
    private boolean trace;

    @Override
    public Integer call() throws Exception {
        Optional<ClusterAddress> cluster = target.cluster();
        requireConsistentOptions(cluster);
        PipelineConfig config = ConfigReader.readTrained(pipeline.file(), pipeline.settings());
        RunRequest request = new RunRequest(
                cluster.isEmpty()
                        ? TransformPlacement.here(config.withoutPlacement())
                        : TransformPlacement.of(config.absolute()),
                resume.request(),
                target.summary(),
                trace ? RunRequest.Tracing.ON : RunRequest.Tracing.OFF,
                ProgramStart.atMillis());
        Submission submission = new Submission(request, output().text(), run -> announce(run, cluster.isEmpty()));
        Submission.Client client = target.detached() ? Submission.Client.DETACHED : Submission.Client.ATTACHED;
        try (Interrupt interrupt = new Interrupt();
                SubmittedJob job = cluster.isEmpty()
                        ? submission.here(interrupt).orElse(null)
                        : submission.on(cluster.get(), client, interrupt).orElse(null)) {
            if (job == null) {
                err().println("millrace: interrupted before training began");
                return ExitCode.INTERRUPTED;
            }
            if (cluster.isPresent()) {
                output().text().println("job     " + job.id());
            }
            return client == Submission.Client.DETACHED ? detach(job) : await(job, interrupt);
        }
    }

    private void requireConsistentOptions(Optional<ClusterAddress> cluster) {
        if (cluster.isPresent() && linger) {
            throw new UsageException("--linger keeps the web UI of a Flink in this process; a cluster has its own");
        }
        if (trace && target.detached()) {
            throw new UsageException("--trace needs a client that waits for the end and merges the traces;"
                    + " with --detach no client waits");
        }
        if (profile && target.detached()) {
            throw new UsageException("--profile prints the measurements at the end; with --detach no client waits");
        }
    }

    /** Prints the properties of the run, and the addresses at which it can be watched. */
    private void announce(PreparedRun run, boolean here) {
        PrintStream text = output().text();
        RunSummaryPrinter.begin(text, run);
        if (here) {
            OfThisProcess.print(text, run.config());
        }
        run.resumed().ifPresent(point -> text.println("resumes " + point.path()));
    }

    private int detach(SubmittedJob job) throws Exception {
        PreparedRun run = job.run();
        output().text().println("summary " + run.summaryFile() + " (when it ends)");
        job.awaitStart(err());
        output().result(Map.of(
                "job",
                job.id(),
                "run",
                run.folder().path().toString(),
                "summary",
                run.summaryFile().toString()));
        return ExitCode.OK;
    }

    private int await(SubmittedJob job, Interrupt interrupt) throws Exception {
        JobRun.Outcome outcome = job.await(interrupt, verdict ? JobRun.Verdicts.SHOWN : JobRun.Verdicts.HIDDEN);
        RunSummary summary = outcome.summary();
        PrintStream text = output().text();
        RunSummaryPrinter.end(text, summary, detail.detail(), outcome.shownDevice());
        if (profile) {
            text.println();
            text.print(ProfileTable.render(outcome.profile()));
        }
        if (outcome.failure() != null) {
            ExecutionErrors.report(outcome.failure(), err());
        }
        RunFiles files = new RunFiles(job.run(), outcome);
        files.writeSummary();
        RunSummaryPrinter.badSamples(text, job.run().folder().path());
        text.println("written to " + job.run().folder().path());
        text.println("report  " + files.writeReport(job.machines(outcome)));
        if (trace) {
            text.println("trace   " + files.mergeTrace());
        }
        if (summary.status() == RunSummary.Status.INTERRUPTED
                && ResumePoints.exist(job.run().folder().path())) {
            text.println("continue with "
                    + ContinueCommand.of(
                            pipeline.file(),
                            pipeline.settings(),
                            target.clusterText(),
                            job.run().folder().path()));
        }
        if (linger && summary.status() != RunSummary.Status.INTERRUPTED) {
            text.println(job.run()
                            .web()
                            .map(web -> "the web UI stays at " + OwnWeb.printed(web))
                            .orElse("Flink stays, without a web UI,")
                    + " until Ctrl-C");
            interrupt.await();
        }
        output().resultLine(summary.toJson());
        return RunSummaryPrinter.exitCode(summary);
    }
}

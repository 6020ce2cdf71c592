package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RestartConfig;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.pipeline.TravellingModules;
import io.millrace.report.RunSummary;
import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import io.millrace.run.Interrupt;
import io.millrace.run.JobRun;
import io.millrace.run.PreparedRun;
import io.millrace.run.ProgramStart;
import io.millrace.run.ResumeRequest;
import io.millrace.run.RunFiles;
import io.millrace.run.RunRequest;
import io.millrace.run.RunSummaryPrinter;
import io.millrace.run.Serving;
import io.millrace.run.Submission;
import io.millrace.run.SubmittedJob;
import io.millrace.run.UsageException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code serve <pipeline>}, which delivers the batches of a pipeline to training loops in other processes.
 *
 * <p>Tested by {@code ServeArgumentsTest} and {@code ServeITCase}.
 */
@Command(
        name = "serve",
        description =
                "Delivers batches to training loops in other processes, for example in Python (docs/use/python.md).",
        footer = {
            "  ./millrace serve conf/photos.yaml",
            "  ./millrace serve conf/photos.yaml --listen 127.0.0.1:8815 --world 4",
            "  ./millrace serve conf/photos.yaml --set dataset.epochs=2 --json",
            "  ./millrace serve conf/photos.yaml --cluster gpu-1:8081 --detach"
        })
final class ServeCommand extends CliCommand {
    private static final int MOST_RANKS = 1024;

    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Mixin
    private TargetArguments target = new TargetArguments();

    @Mixin
    private ListenArguments listen = new ListenArguments();

    @Option(names = "--world", paramLabel = "N", description = "The number of ranks that share each batch. Default: 1.")
    private int world = 1;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "Write the addresses and the token to this file when clients can connect.")
    private @Nullable Path readyFile;

    @Mixin
    private DetailArgument detail = new DetailArgument();

    @Option(
            names = "--trace",
            description = "Record a timeline of all tasks for Perfetto: trace.json in the run's folder.")
    private boolean trace;

    @Override
    public Integer call() throws Exception {
        long startedAtMillis = ProgramStart.atMillis();
        Optional<ClusterAddress> cluster = target.cluster();
        requireConsistentOptions();
        ServedPipeline served = ServedPipeline.read(pipeline.file(), pipeline.settings(), world);
        PipelineConfig config = served.training();
        Submission.Client client = target.detached() ? Submission.Client.DETACHED : Submission.Client.ATTACHED;
        try (Interrupt interrupt = new Interrupt();
                Serving serving = listen.serving(config, client, world, Optional.ofNullable(readyFile))) {
            RunRequest request = new RunRequest(
                            cluster.isEmpty()
                                    ? config.withoutPlacement()
                                            .with(config.recovery().orRestart(RestartConfig.STANDARD))
                                    : config.absolute(),
                            ResumeRequest.NONE,
                            target.summary(),
                            trace ? RunRequest.Tracing.ON : RunRequest.Tracing.OFF,
                            startedAtMillis)
                    .served(serving);
            if (served.evaluation().isPresent()) {
                PipelineConfig evaluation = served.evaluation().get();
                serving.withEvaluation(
                        cluster.isEmpty() ? evaluation : TravellingModules.in(evaluation.absolute()), served.every());
            }
            Submission submission = new Submission(request, output().text(), run -> announce(run, cluster.isEmpty()));
            try (SubmittedJob job = cluster.isEmpty()
                    ? submission.here(interrupt).orElse(null)
                    : submission.on(cluster.get(), client, interrupt).orElse(null)) {
                if (job == null) {
                    err().println("millrace: interrupted before the first batch");
                    return ExitCode.INTERRUPTED;
                }
                if (cluster.isPresent()) {
                    output().text().println("job     " + job.id());
                }
                return client == Submission.Client.DETACHED ? detach(job) : await(job, serving, interrupt);
            }
        }
    }

    private void requireConsistentOptions() {
        if (world < 1 || world > MOST_RANKS) {
            throw new UsageException("--world: expected 1 to " + MOST_RANKS + " ranks, found " + world);
        }
        if (trace && target.detached()) {
            throw new UsageException("--trace needs a client that waits for the end and merges the traces;"
                    + " with --detach no client waits");
        }
        Path file = readyFile;
        if (file == null) {
            return;
        }
        if (target.detached()) {
            throw new UsageException(
                    "--ready-file has the addresses at which this command listens; with --detach it does not"
                            + " listen: use --json, which prints the job and the file of the token");
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new UsageException("--ready-file: expected a file in an existing folder, found " + file);
        }
    }

    private void announce(PreparedRun run, boolean here) {
        RunSummaryPrinter.begin(output().text(), run);
        if (here) {
            OfThisProcess.print(output().text(), run.config());
        }
    }

    private int detach(SubmittedJob job) throws Exception {
        PreparedRun run = job.run();
        Path token = run.folder().file(Serving.TOKEN_FILE).toAbsolutePath();
        PrintStream text = output().text();
        text.println("serves  " + job.web() + " (clients of other users and machines need the token)");
        text.println("token   " + token);
        text.println("summary " + run.summaryFile() + " (when it ends)");
        job.awaitStart(err());
        output().result(Map.of(
                "job",
                job.id(),
                "web",
                job.web().toString(),
                "token_file",
                token.toString(),
                "run",
                run.folder().path().toString(),
                "summary",
                run.summaryFile().toString()));
        return ExitCode.OK;
    }

    private int await(SubmittedJob job, Serving serving, Interrupt interrupt) throws Exception {
        for (String address : serving.addresses()) {
            output().text().println("serves  " + address);
        }
        JobRun.Outcome outcome = job.await(interrupt, JobRun.Verdicts.SHOWN);
        if (outcome.failure() == null) {
            return report(job, outcome);
        }
        serving.fail(Failure.of(outcome.failure()).sentence());
        try {
            return report(job, outcome);
        } finally { // also where the report cannot be written, perhaps for the reason of the failure
            serving.awaitHeard(interrupt, output().text());
        }
    }

    private int report(SubmittedJob job, JobRun.Outcome outcome) throws Exception {
        RunSummary ended = outcome.summary();
        PrintStream text = output().text();
        RunSummaryPrinter.end(text, ended, detail.detail(), outcome.shownDevice());
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
        output().resultLine(ended.toJson());
        return RunSummaryPrinter.exitCode(ended);
    }
}

package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.config.RestartConfig;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.report.RunSummary;
import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import io.millrace.run.Interrupt;
import io.millrace.run.JobRun;
import io.millrace.run.KernelsInUse;
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
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code serve <pipeline>}, which delivers the batches of a pipeline to training loops in other processes. */
@Command(
        name = "serve",
        description =
                "Delivers batches to training loops in other processes, for example in Python (docs/use/python.md).",
        footer = {
            "  ./millrace serve conf/photos.yaml",
            "  ./millrace serve conf/photos.yaml --listen 127.0.0.1:8815 --world 4",
            "  ./millrace serve conf/photos.yaml --set dataset.epochs=2 --json"
        })
final class ServeCommand extends CliCommand {
    private static final int MOST_PORT = 65_535;

    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "The address that clients connect to; with port 0, a free port. Default: 127.0.0.1:8815.")
    private String listen = "127.0.0.1:8815";

    @Option(names = "--world", paramLabel = "N", description = "The number of ranks that share each batch. Default: 1.")
    private int world = 1;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "Write the addresses and the token to this file when clients can connect.")
    private @Nullable Path readyFile;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "The file for the summary. Default: summary.json in the run's folder.")
    private @Nullable Path summary;

    @Option(
            names = "--trace",
            description = "Record a timeline of all tasks for Perfetto: trace.json in the run's folder.")
    private boolean trace;

    @Override
    public Integer call() throws Exception {
        long startedAtMillis = ProgramStart.atMillis();
        if (world < 1) {
            throw new UsageException("--world: expected at least 1 rank, found " + world);
        }
        PipelineConfig config = ServedPipeline.read(pipeline.file(), pipeline.settings(), world);
        try (Interrupt interrupt = new Interrupt();
                Serving serving = serving()) {
            RunRequest request = new RunRequest(
                            config.withoutPlacement().with(config.recovery().orRestart(RestartConfig.STANDARD)),
                            ResumeRequest.NONE,
                            Optional.ofNullable(summary),
                            trace ? RunRequest.Tracing.ON : RunRequest.Tracing.OFF,
                            startedAtMillis)
                    .served(serving);
            Submission submission = new Submission(request, output().text(), this::announce);
            try (SubmittedJob job = submission.here(interrupt).orElse(null)) {
                if (job == null) {
                    err().println("millrace: interrupted before the first batch");
                    return ExitCode.INTERRUPTED;
                }
                announce(serving);
                return await(job, serving, interrupt);
            }
        }
    }

    private Serving serving() {
        int colon = listen.lastIndexOf(':');
        String host = colon < 0 ? "" : listen.substring(0, colon).replaceAll("^\\[|]$", "");
        int port = port(listen.substring(colon + 1));
        if (host.isEmpty() || port < 0) {
            throw new UsageException("--listen: expected host:port, such as 127.0.0.1:8815, found " + listen);
        }
        return new Serving(host, port, world, Optional.ofNullable(readyFile));
    }

    /** Returns the port, or -1 when the text is no port. */
    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port <= MOST_PORT ? port : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private void announce(PreparedRun run) {
        RunSummaryPrinter.begin(output().text(), run);
        output().text().println("kernels " + KernelsInUse.description());
    }

    private void announce(Serving serving) throws IOException {
        for (String address : serving.addresses()) {
            output().text().println("serves  " + address);
        }
    }

    private int await(SubmittedJob job, Serving serving, Interrupt interrupt) throws Exception {
        JobRun.Outcome outcome = job.await(interrupt, JobRun.Verdicts.SHOWN);
        if (outcome.failure() != null) {
            serving.fail(Failure.of(outcome.failure()).sentence());
        }
        RunSummary ended = outcome.summary();
        PrintStream text = output().text();
        RunSummaryPrinter.end(text, ended);
        if (outcome.failure() != null) {
            ExecutionErrors.report(outcome.failure(), err());
        }
        RunFiles files = new RunFiles(job.run(), outcome);
        files.writeSummary();
        text.println("written to " + job.run().folder().path());
        text.println("report  " + files.writeReport(job.machines(outcome)));
        if (trace) {
            text.println("trace   " + files.mergeTrace());
        }
        output().resultLine(ended.toJson());
        return RunSummaryPrinter.exitCode(ended);
    }
}

package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.DeviceConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.RestartConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.EmbeddedFlink;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunMeaning;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.report.FinalMetrics;
import io.millrace.report.FinalMetricsReporterFactory;
import io.millrace.report.RunFolder;
import io.millrace.report.RunSummary;
import io.millrace.report.StageTable;
import io.millrace.report.Terminal;
import io.millrace.resume.FinalState;
import io.millrace.resume.ResumePoint;
import io.millrace.train.TrainingRuntime;
import java.io.PrintStream;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code train <pipeline>}: runs a pipeline on a Flink in this process. */
@Command(
        name = "train",
        description = "Trains a model as a pipeline file says, and tells where the time went.",
        footer = {
            "  ./millrace train conf/digits.yaml",
            "  ./millrace train conf/photos.yaml --set dataset.epochs=2 --json",
            "  ./millrace train conf/digits.yaml --set stages=separate --linger",
            "  ./millrace train conf/digits.yaml --resume latest --set dataset.epochs=6"
        })
final class TrainCommand extends CliCommand {
    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Mixin
    private ResumeArguments resume = new ResumeArguments();

    @Option(names = "--linger", description = "Keep the web UI up after the end, until Ctrl-C.")
    private boolean linger;

    @Override
    public Integer call() throws Exception {
        long startedAtMillis = ProgramStart.atMillis();
        try (Interrupt interrupt = new Interrupt()) {
            return train(startedAtMillis, interrupt);
        }
    }

    private int train(long startedAtMillis, Interrupt interrupt) throws Exception {
        PrintStream text = output().text();
        PipelineConfig config = ConfigReader.read(pipeline.file(), pipeline.settings());
        FileSystems.initialize(config.flink());
        requireDevice(config.device().kind());
        String kernels = KernelsTold.description();
        FirstUse.makeData(config, text);

        // What takes seconds to start, starts at once: Flink, PyTorch, and the look at the data.
        CompletableFuture<EmbeddedFlink> starting = CompletableFuture.supplyAsync(() -> startFlink(config));
        CompletableFuture<Void> engine = CompletableFuture.runAsync(TrainingRuntime::preload);
        RunPlan plan;
        Optional<ResumePoint> from;
        try {
            plan = RunPlanner.plan(config);
            from = resume.find(config, plan);
        } catch (Exception e) {
            closeOnceStarted(starting);
            throw e;
        }
        try (EmbeddedFlink flink = starting.join()) {
            engine.join();
            RunFolder folder = RunFolder.fresh(config.run().folder(), LocalDateTime.now(ZoneId.systemDefault()));
            describe(text, config, plan, flink, folder);
            text.println("kernels " + kernels);
            FinalState.identify(folder.path(), RunMeaning.of(config, plan.batches(), folder.path()));
            from.ifPresent(point -> text.println("resumes " + point.path()));
            JobRun run = new JobRun(config, plan, flink.jobs(), startedAtMillis);
            interrupt.begun();
            JobRun.Outcome outcome = run.execute(
                    interrupt, ResumeArguments.sink(Sinks.of(config, plan, folder.path()), from), resume.origin(from));
            RunSummary summary = outcome.summary();
            tell(text, summary);
            if (outcome.failure() != null) {
                ExecutionErrors.report(outcome.failure(), err());
            }
            folder.write(summary);
            folder.removeEmpty(Checkpointing.FOLDER);
            text.println("written to " + folder.path());
            if (linger && summary.status() != RunSummary.Status.INTERRUPTED) {
                text.println("the web UI stays at " + flink.web() + " until Ctrl-C");
                interrupt.await();
            }
            output().resultLine(summary.toJson());
            return switch (summary.status()) {
                case FINISHED -> ExitCode.OK;
                case INTERRUPTED -> ExitCode.INTERRUPTED;
                case FAILED -> ExitCode.FAILED;
            };
        }
    }

    /** For when something else failed before: whether Flink started does not matter any more. */
    private static void closeOnceStarted(CompletableFuture<EmbeddedFlink> starting) {
        starting.handle((flink, failure) -> {
                    if (flink != null) {
                        flink.close();
                    }
                    return flink;
                })
                .join();
    }

    private static void requireDevice(DeviceConfig.Kind kind) {
        if (kind == DeviceConfig.Kind.CUDA) {
            throw new UsageException(
                    "device.kind is cuda, but this version trains on the host alone: set it to auto or host");
        }
    }

    private static EmbeddedFlink startFlink(PipelineConfig config) {
        FinalMetrics.clear();
        Configuration more = Configuration.fromMap(config.flink());
        if (config.recovery().checkpoint().isPresent()) {
            Checkpointing.restart(more, RestartConfig.STANDARD); // what the file says of it goes with the job, and wins
        }
        FinalMetricsReporterFactory.configure(more);
        try {
            return EmbeddedFlink.start(Pipeline.slots(config), config.run().webPorts(), more);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    private static void describe(
            PrintStream text, PipelineConfig config, RunPlan plan, EmbeddedFlink flink, RunFolder folder) {
        text.printf(
                Locale.ROOT,
                "%s: %,d samples%s, batches of %d, device %s%n",
                config.name(),
                plan.batches().size(),
                plan.classes().isEmpty() ? "" : " in " + plan.classes().size() + " classes",
                plan.batches().batch(),
                config.device().kind() == DeviceConfig.Kind.AUTO ? "host (auto: this version has no other)" : "host");
        text.println("web UI  " + flink.web());
        text.println("run     " + folder.path());
    }

    private static void tell(PrintStream text, RunSummary summary) {
        text.println();
        text.print(StageTable.render(summary.stages(), Terminal.textColumns()));
        text.println();
        text.println(RunTold.lines(summary));
    }
}

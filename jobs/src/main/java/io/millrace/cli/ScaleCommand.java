package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.JobJars;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.report.RunFolder;
import io.millrace.report.html.UnwatchedRun;
import io.millrace.rest.ClusterRest;
import io.millrace.run.DetachedStart;
import io.millrace.run.ExitCode;
import io.millrace.run.JobRun;
import io.millrace.run.RescaleRequest;
import io.millrace.run.SavedJob;
import io.millrace.run.TrainingPause;
import io.millrace.run.UsageException;
import io.millrace.source.Beginning;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scale <job> decode=8}: another parallelism for a job that goes on. */
@Command(
        name = "scale",
        description = "Gives a running job another parallelism. What it trains stays the same to the bit.",
        footer = {"  ./millrace scale 4f2a parallelism=6", "  ./millrace scale photos decode=8 --cluster gpu-1:8081"})
final class ScaleCommand extends CliCommand {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Parameters(index = "0", paramLabel = "JOB", description = "Its id, or the beginning of it, or its name.")
    private String job = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "STAGE=NUMBER",
            description = "A stage and its parallelism; 'parallelism' is that of all stages without their own.")
    private List<String> numbers = List.of();

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A secret that the job does not carry.")
    private List<String> settings = List.of();

    /** How it went. */
    private record Scaled(String how, String job, double pauseSeconds) {}

    @Override
    public Integer call() throws Exception {
        ClusterAddress address = cluster.address();
        ClusterRest rest = new ClusterRest(address.web());
        SavedJob running = SavedJob.of(rest, job);
        List<String> all = new ArrayList<>(settings);
        all.addAll(RescaleRequest.settings(numbers, running.card().stages().keySet()));
        PipelineConfig config = running.pipeline(all);
        // Flink rescales from the last checkpoint: without any the job would begin anew.
        boolean goesOn =
                running.job().adaptive() && config.recovery().checkpoint().isPresent();
        Map<String, Integer> bounds =
                goesOn ? rest.tasks(running.job().id()).bounds(Pipeline.stages(config)) : Map.of();
        Scaled scaled = bounds.isEmpty() ? resubmit(address, rest, running, config) : rescale(rest, running, bounds);
        output().text().printf(Locale.ROOT, "%s; %.1f s without training%n", scaled.how(), scaled.pauseSeconds());
        output().result(Map.of(
                "job",
                scaled.job(),
                "how",
                bounds.isEmpty() ? "resubmitted" : "rescaled",
                "pause_s",
                scaled.pauseSeconds()));
        return ExitCode.OK;
    }

    private static Scaled rescale(ClusterRest rest, SavedJob running, Map<String, Integer> bounds) throws Exception {
        TrainingPause pause = TrainingPause.begin(rest, running.job().id());
        rest.requireResources(running.job().id(), bounds);
        double seconds = pause.end(running.job().id());
        return new Scaled(
                "job " + running.job().id() + " was rescaled as it runs (adaptive scheduler)",
                running.job().id(),
                seconds);
    }

    private Scaled resubmit(ClusterAddress address, ClusterRest rest, SavedJob running, PipelineConfig config)
            throws Exception {
        requireSecrets(config);
        if (!config.run().flink().isEmpty()) {
            FileSystems.initialize(config.run().flink());
        }
        // All that can go wrong or takes time comes before the job is stopped.
        List<Path> jars = JobJars.find(System.getenv().getOrDefault(JobJars.VARIABLE, ""));
        RunPlan plan = RunPlanner.plan(config);
        Path folder = Path.of(running.card().folder());
        Path summary = running.card().summary().map(Path::of).orElse(folder.resolve(RunFolder.SUMMARY));
        long startedAtMillis = running.job().startedAtMillis();
        try (RemoteFlink flink = RemoteFlink.at(address, jars)) {
            TrainingPause pause = TrainingPause.begin(rest, running.job().id());
            String savepoint = running.stop(flink.jobs(), config);
            JobRun run = new JobRun(
                    config, plan, flink.jobs(), JobRun.Where.ELSEWHERE, startedAtMillis, JobRun.Verdicts.HIDDEN);
            JobID next = run.submit(
                    Sinks.of(config, plan, folder)
                            .reportingTo(UnwatchedRun.of(config, plan, folder, summary, startedAtMillis)),
                    new Origin(Optional.of(savepoint), 0, Beginning.Others.REFUSED),
                    Optional.of(summary));
            output().text().println("saved in " + savepoint);
            DetachedStart.tell(rest, flink.jobs(), next, SlotRequirement.of(config), err());
            return new Scaled(
                    "job " + running.job().id() + " was saved and goes on as job " + next,
                    next.toString(),
                    pause.end(next.toString()));
        }
    }

    private static void requireSecrets(PipelineConfig config) {
        List<String> masked = config.run().maskedSecrets();
        if (!masked.isEmpty()) {
            throw new UsageException("the job does not carry the secrets of its pipeline: give " + masked
                    + " again, as --set flink." + masked.get(0) + "=...");
        }
    }
}

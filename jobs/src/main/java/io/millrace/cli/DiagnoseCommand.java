package io.millrace.cli;

import io.millrace.cli.PipelineDiagnosis.Advised;
import io.millrace.diagnosis.advice.Advisor;
import io.millrace.diagnosis.ladder.LadderPlan;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.run.RunSummaryPrinter.Detail;
import io.millrace.run.UsageException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code diagnose}, which finds the stages that limit the speed and the settings that would raise it. */
@Command(
        name = "diagnose",
        description =
                "Measures how much speed each stage costs and recommends changes. Runs the pipeline with its samples"
                        + " cached after one stage at a time, or watches a job that already runs.",
        footer = {
            "  ./millrace diagnose conf/photos.yaml",
            "  ./millrace diagnose conf/photos.yaml --samples 512 --spread 2%% --most 30s",
            "  ./millrace diagnose conf/photos.yaml --verify",
            "  ./millrace diagnose --job photos --cluster gpu-1:8081",
            "  ./millrace diagnose --selftest",
            "",
            "These runs train a model and discard it. --apply writes conf/photos.improved.yaml,",
            "--verify also measures that file, and prints the prediction and the result."
        })
final class DiagnoseCommand extends CliCommand {
    /**
     * The shortest time of a watch. A shorter time has only one or two readings, one of which may be outdated, so that
     * the diagnosis could name the wrong stage.
     */
    private static final int LEAST_SECONDS = 3;

    @Parameters(
            paramLabel = "PIPELINE",
            arity = "0..1",
            description = "The pipeline file, for example conf/digits.yaml.")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Set a key, for example batch.size=128; may be repeated.")
    private List<String> settings = List.of();

    @Mixin
    private MeasurementArguments patience = new MeasurementArguments();

    @Option(names = "--samples", paramLabel = "N", description = "The number of cached samples; default: 256.")
    private int samples = LadderPlan.SAMPLES;

    @Option(names = "--apply", description = "Write the pipeline with the recommended settings beside the original.")
    private boolean apply;

    @Option(names = "--verify", description = "Like --apply, and measure the new pipeline.")
    private boolean verify;

    @Option(
            names = "--allow-other-pixels",
            description =
                    "With --apply or --verify: also make changes after which pixels or other values of samples differ.")
    private boolean allowOtherPixels;

    @Option(
            names = "--verbose",
            description = "Print all columns of the table, and the verdict with all its figures. The report and --json"
                    + " have them in any case.")
    private boolean verbose;

    @Option(names = "--job", paramLabel = "JOB", description = "Watch this job instead, given by its id or its name.")
    private @Nullable String job;

    @Option(names = "--cluster", paramLabel = "HOST:PORT", description = "With --job: the cluster that it runs on.")
    private @Nullable String cluster;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "With --job: the seconds to watch, at least 3; default: 10.")
    private double seconds = 10;

    @Option(
            names = "--selftest",
            paramLabel = "CASE",
            arity = "0..*",
            description = "Plant the named bottlenecks, or all, and check that they are found; takes minutes.")
    private @Nullable List<String> cases;

    @Override
    public Integer call() throws Exception {
        Path pipeline = file;
        List<String> planted = cases;
        if (planted != null && pipeline == null && job == null) {
            if (verbose) {
                throw new UsageException("--verbose is for the diagnosis of a pipeline or a job, not for --selftest");
            }
            return SelfTestRun.run(planted, output());
        }
        if (planted != null || (job == null) == (pipeline == null) || (job == null) != (cluster == null)) {
            throw new UsageException("diagnose: expected a pipeline file, or --job with --cluster, or --selftest");
        }
        if (samples < 1) {
            throw new UsageException("--samples: expected at least 1, found " + samples);
        }
        if (!(seconds >= LEAST_SECONDS)) {
            throw new UsageException("--seconds: expected at least " + LEAST_SECONDS
                    + ", because Flink collects its metrics once a second, found " + seconds);
        }
        Detail detail = verbose ? Detail.VERBOSE : Detail.SHORT;
        if (pipeline == null) {
            return new JobDiagnosis(address(String.valueOf(cluster)), detail, output())
                    .run(String.valueOf(job), seconds);
        }
        Advised advised = verify ? Advised.VERIFIED : apply ? Advised.APPLIED : Advised.PRINTED;
        LadderPlan plan = new LadderPlan(samples, patience.limits());
        if (allowOtherPixels && advised == Advised.PRINTED) {
            throw new UsageException("--allow-other-pixels is for --apply and --verify, which change the pipeline");
        }
        Advisor.Values values = allowOtherPixels ? Advisor.Values.MAY_CHANGE : Advisor.Values.KEPT;
        return new PipelineDiagnosis(pipeline, settings, plan, values, detail, output()).run(advised);
    }

    private static ClusterAddress address(String text) {
        try {
            return ClusterAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cluster: " + e.getMessage());
        }
    }
}

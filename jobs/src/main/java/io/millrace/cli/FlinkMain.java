package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.JobDescription;
import io.millrace.pipeline.Origin;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.report.RunFolder;
import io.millrace.report.html.UnwatchedRun;
import io.millrace.resume.FinalState;
import io.millrace.run.AutoStart;
import io.millrace.run.Failure;
import io.millrace.run.RunSummaryPrinter;
import io.millrace.source.BuildMismatchException;
import io.millrace.source.LibraryBuild;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The job for Flink's own ways of submission: {@code flink run millrace-jobs.jar train PIPELINE --set ...}, attached or
 * with {@code -d}, from a savepoint with {@code -s}, and the upload of a jar in the web UI with program arguments. The
 * pipeline file and the data are read where this runs, which for the web UI is the JobManager's machine. The job writes
 * its summary itself.
 *
 * <p>Never ends the process, which is Flink's; what is wrong is thrown, with a sentence.
 */
public final class FlinkMain {
    private static final Logger LOG = LoggerFactory.getLogger(FlinkMain.class);

    private FlinkMain() {}

    @Command(name = "train", description = "Trains a model as a pipeline file says.")
    private static final class Arguments {
        @Mixin
        private PipelineArguments pipeline = new PipelineArguments();

        @Option(names = "--summary", paramLabel = "FILE", description = "Where the job writes its summary.")
        private @Nullable Path summary;
    }

    /** Submits the job through Flink's environment, which may wait for its end. */
    public static void main(String[] arguments) throws Exception {
        long startedAtMillis = System.currentTimeMillis();
        Arguments parsed = parse(arguments);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamGraph graph;
        try {
            graph = graph(parsed, environment, startedAtMillis);
        } catch (Exception e) {
            LOG.info("the job could not be made", e);
            // Flink prints the message of what a program throws, and drops that of its causes.
            throw new IllegalArgumentException("millrace: " + Failure.of(e).sentence(), e);
        }
        environment.execute(graph);
    }

    private static Arguments parse(String[] arguments) {
        List<String> words = List.of(arguments);
        if (words.isEmpty() || !words.get(0).equals("train")) {
            throw new IllegalArgumentException(
                    "millrace: expected the program arguments 'train PIPELINE [--set KEY=VALUE]"
                            + " [--summary FILE]', found "
                            + (words.isEmpty() ? "none" : "'" + String.join(" ", words) + "'"));
        }
        Arguments parsed = new Arguments();
        try {
            new CommandLine(parsed).parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        } catch (ParameterException e) {
            throw new IllegalArgumentException("millrace: " + e.getMessage(), e);
        }
        return parsed;
    }

    /** The job's jar is in one place, the libraries in another: the lib folder of the Flink that this runs in. */
    private static void requireOneBuild() {
        String job = LibraryBuild.read(FlinkMain.class, "/META-INF/millrace/job.build");
        if (!LibraryBuild.goTogether(job, LibraryBuild.current())) {
            throw new BuildMismatchException(
                    "the job's jar and the libraries in Flink's lib folder are of different builds of"
                            + " Millrace: copy all jars of jobs/target/millrace-lib/ there, and use the jar of the same build");
        }
    }

    private static StreamGraph graph(Arguments parsed, StreamExecutionEnvironment environment, long startedAtMillis)
            throws Exception {
        requireOneBuild();
        PipelineConfig config =
                TransformPlacement.of(ConfigReader.read(parsed.pipeline.file(), parsed.pipeline.settings())
                        .absolute());
        if (!config.run().flink().isEmpty()) {
            // Flink's own client and JobManager have theirs from their configuration.
            FileSystems.initialize(config.run().flink());
        }
        if (config.slots().auto().choosesAnything()) {
            System.out.println("auto    "
                    + AutoStart.unmeasuredLine(config, "Flink's own ways of submission start one job alone"));
        }
        RunPlan plan = RunPlanner.plan(config);
        RunFolder folder = RunFolder.fresh(config.run().folder(), LocalDateTime.now(ZoneId.systemDefault()));
        FinalState.identify(folder.path(), PositionSettings.of(config, plan.batches(), folder.path()));
        Path summary = (parsed.summary == null ? folder.file(RunFolder.SUMMARY) : parsed.summary).toAbsolutePath();
        StreamGraph graph = Pipeline.graph(
                config,
                plan,
                Sinks.of(config, plan, folder.path())
                        .reportingTo(UnwatchedRun.of(config, plan, folder.path(), summary, startedAtMillis)),
                Origin.FRESH);
        JobDescription.of(config, folder.path().toString(), Optional.of(summary.toString()))
                .attachTo(graph);
        graph.setSavepointRestoreSettings(SavepointRestoreSettings.fromConfiguration(environment.getConfiguration()));
        RunSummaryPrinter.places(System.out, config);
        System.out.println("run     " + folder.path());
        System.out.println("summary " + summary + " (when it ends)");
        return graph;
    }
}

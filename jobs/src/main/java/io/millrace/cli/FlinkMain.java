package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.report.TerminalOutput;
import io.millrace.run.Failure;
import io.millrace.run.PreparedRun;
import io.millrace.run.RunRequest;
import io.millrace.run.RunSummaryPrinter;
import io.millrace.run.Submission;
import io.millrace.sample.VisibleText;
import io.millrace.source.BuildMismatchException;
import io.millrace.source.LibraryBuild;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;
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
 * The entry point for Flink's own ways of submission. One way is {@code flink run millrace-jobs.jar train PIPELINE
 * --set ...}, optionally with {@code -d} to detach or {@code -s} to start from a savepoint. The other way is a jar that
 * is uploaded in the web UI with program arguments. The pipeline file and the data are read on the machine where this
 * class runs, which is the JobManager's machine for the web UI. The job writes its summary itself.
 *
 * <p>This class never ends the process, which belongs to Flink. It throws an exception with a sentence for the user instead.
 */
public final class FlinkMain {
    private static final Logger LOG = LoggerFactory.getLogger(FlinkMain.class);

    private FlinkMain() {}

    @Command(name = "train", description = "Trains a model as a pipeline file describes.")
    private static final class Arguments {
        @Mixin
        private PipelineArguments pipeline = new PipelineArguments();

        @Option(names = "--summary", paramLabel = "FILE", description = "Where the job writes its summary.")
        private @Nullable Path summary;
    }

    /** Submits the job through Flink's environment, which may wait until the job ends. */
    public static void main(String[] arguments) throws Exception {
        long startedAtMillis = System.currentTimeMillis();
        Arguments parsed = parse(arguments);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamGraph graph;
        try {
            graph = graph(parsed, environment.getConfiguration(), startedAtMillis);
        } catch (Exception e) {
            LOG.info("the job could not be built", e);
            // Flink prints the message of the exception that a program throws, and omits the messages of its causes.
            throw new IllegalArgumentException(
                    "millrace: " + VisibleText.of(Failure.of(e).sentence()), e);
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

    /** Checks that the job's jar and the libraries in the lib folder of this Flink come from one build. */
    private static void requireOneBuild() {
        String job = LibraryBuild.read(FlinkMain.class, "/META-INF/millrace/job.build");
        if (!LibraryBuild.areCompatible(job, LibraryBuild.current())) {
            throw new BuildMismatchException(
                    "the job's jar and the libraries in Flink's lib folder are of different builds of"
                            + " Millrace: copy all jars of the distribution's lib/ there (in a source"
                            + " tree: jobs/target/millrace-lib/), and use the job's jar of the same build");
        }
    }

    private static StreamGraph graph(Arguments parsed, ReadableConfig flink, long startedAtMillis) throws Exception {
        requireOneBuild();
        PipelineConfig config =
                TransformPlacement.of(ConfigReader.readTrained(parsed.pipeline.file(), parsed.pipeline.settings())
                        .absolute());
        RunRequest request = RunRequest.fresh(config, Optional.ofNullable(parsed.summary), startedAtMillis);
        return new Submission(request, output(), FlinkMain::announce).graph(flink);
    }

    private static void announce(PreparedRun run) {
        PrintStream out = output();
        RunSummaryPrinter.places(out, run.config());
        out.println("run     " + run.folder().path());
        out.println("summary " + run.summaryFile() + " (when it ends)");
    }

    /** Returns standard output with escapes. The stream of the process itself belongs to Flink. */
    private static PrintStream output() {
        return TerminalOutput.escaping(System.out, Charset.defaultCharset());
    }
}

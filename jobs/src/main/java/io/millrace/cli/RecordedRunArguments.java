package io.millrace.cli;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.generate.TimedProgress;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.PositionSettings;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.pipeline.TypesFile;
import io.millrace.preview.PreviewRun;
import io.millrace.resume.FinalState;
import io.millrace.resume.RecordedPipeline;
import io.millrace.run.KernelsInUse;
import io.millrace.run.UsageException;
import io.millrace.sample.Split;
import io.millrace.sample.VisibleText;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A run that was run, by its folder, or one as a pipeline file describes it; a mixin.
 *
 * <p>Tested by {@code WhichCommandTest}.
 */
final class RecordedRunArguments {
    @Parameters(
            paramLabel = "RUN",
            description = "The folder of a run, for example runs/digits/latest, or a pipeline file.")
    private Path path = Path.of("");

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description =
                    "Set a key, for example dataset.path=/other/place; may be repeated. For a folder, only other places of the"
                            + " same data, and secrets.")
    private List<String> settings = List.of();

    /**
     * The samples of a run. The owner closes it.
     *
     * @param folder the folder of the run, or of the runs of the pipeline file
     */
    record Opened(PipelineConfig config, Path folder, PreviewRun run) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            run.close();
        }
    }

    /**
     * Opens the datasets of the run.
     *
     * @param text receives the remarks on the datasets
     * @throws UsageException when the folder or the pipeline file cannot be used
     */
    Opened open(PrintStream text) throws IOException, ConfigException, PipelineException {
        boolean recorded = Files.isDirectory(path);
        if (!recorded && !Files.exists(path)) {
            throw new UsageException("there is no run and no pipeline file " + path
                    + ": expected the folder of a run, such as" + " runs/digits/latest, or a pipeline file");
        }
        PipelineConfig config = TransformPlacement.onServers(
                recorded ? RecordedPipeline.read(path, settings) : ConfigReader.read(path, settings));
        List<String> masked = config.maskedSecrets();
        if (!masked.isEmpty()) {
            throw new UsageException("the folder of the run does not store the secrets of its pipeline: set " + masked
                    + " again, for example --set " + masked.get(0) + "=...");
        }
        KernelsInUse.description(); // rejects kernels that this machine lacks before any work is done
        FileSystems.initialize(config.run().flink());
        RunPlan plan = RunPlanner.plan(
                config,
                recorded ? TypesFile.read(path) : Optional.empty(),
                new TimedProgress("counting tokens", "documents", text::println, System::nanoTime));
        plan.remarks().forEach(remark -> text.println("note: " + VisibleText.line(remark)));
        if (recorded) {
            requireSameData(config, plan);
        }
        return new Opened(
                config, recorded ? path : config.run().folder(), PreviewRun.open(config, plan, Split.TRAIN, 0));
    }

    /** Requires that the datasets have as many samples as in the run, and the same weights. */
    private void requireSameData(PipelineConfig config, RunPlan plan) throws IOException {
        Map<String, String> now = PositionSettings.of(config, plan, path).positionSettings();
        for (Map.Entry<String, String> had : FinalState.settings(path).entrySet()) {
            String found = now.get(had.getKey());
            if (found == null || found.equals(had.getValue())) {
                continue;
            }
            if (PositionSettings.isDatasetSize(had.getKey())) {
                throw new IOException(
                        had.getKey() + ": the dataset has " + found + " samples, but had " + had.getValue()
                                + " in the run in " + path + ": it has changed, or this is another copy of it");
            }
            if (had.getKey().equals(PositionSettings.WEIGHTS)) {
                throw new IOException(had.getKey() + ": the weights of the samples are not those of the run in " + path
                        + ": they have changed, so that the samples of its steps are not known");
            }
        }
    }
}

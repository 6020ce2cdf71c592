package io.millrace.cli;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.config.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The pipeline file and the settings that override it; a mixin for the commands that read a pipeline. */
public final class PipelineArguments {
    @Parameters(paramLabel = "PIPELINE", description = "The pipeline file, for example conf/digits.yaml.")
    private Path file = Path.of("");

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Set a key, for example batch.size=128; may be repeated.")
    private List<String> settings = List.of();

    /** Returns the pipeline file. */
    public Path file() {
        return file;
    }

    /**
     * Returns the pipeline, or if the argument is the path of data in place of a pipeline file, a pipeline that reads them and has no
     * transforms.
     *
     * @throws ConfigException with all problems
     */
    PipelineConfig ofFileOrData() throws ConfigException {
        String argument = file.toString();
        Optional<String> format = PathDataset.formatOf(argument, settings);
        if (format.isPresent()) {
            return ConfigReader.ofDataset(format.get(), argument, settings);
        }
        try {
            return ConfigReader.read(file, settings);
        } catch (ConfigException e) {
            Problem first = e.problems().get(0);
            if (PathDataset.isPipelineName(argument) || first.location().line() > 0) {
                throw e;
            }
            ConfigException withHint = new ConfigException(List.of(new Problem(
                    first.location(),
                    first.key(),
                    first.message()
                            + "; it was read as a pipeline file, because its name states no format of data; for data, set their"
                            + " format: --set " + PathDataset.FORMAT_SETTING + "tokens")));
            withHint.initCause(e);
            throw withHint;
        }
    }

    /** Returns the settings in their order, each as {@code key=value}. */
    public List<String> settings() {
        return List.copyOf(settings);
    }
}

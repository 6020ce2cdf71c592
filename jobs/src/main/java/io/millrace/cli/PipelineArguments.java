package io.millrace.cli;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The pipeline file and what is set over it; a mixin for the commands that take one. */
public final class PipelineArguments {
    @Parameters(paramLabel = "PIPELINE", description = "The pipeline file, as conf/digits.yaml.")
    private Path file = Path.of("");

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Set a key, as batch.size=128; may be repeated.")
    private List<String> settings = List.of();

    /** The pipeline file. */
    public Path file() {
        return file;
    }

    /** The settings as given, each {@code key=value}, in order. */
    public List<String> settings() {
        return List.copyOf(settings);
    }
}

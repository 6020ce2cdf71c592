package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The base class of commands. It provides {@code --help} and {@code --json}, and translates an exception into a sentence and
 * an exit code.
 *
 * <p>A command prints its result through {@link #output} and returns an {@link ExitCode}.
 */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = VersionLines.class,
        sortOptions = false,
        usageHelpAutoWidth = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nArguments:%n",
        descriptionHeading = "%n",
        footerHeading = "%nExamples:%n",
        synopsisHeading = "Usage: ")
public abstract class CliCommand implements Callable<Integer> {
    @Mixin
    private Output output = new Output();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Returns the output for results. */
    protected final Output output() {
        return output;
    }

    /** Returns the output for errors. */
    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}

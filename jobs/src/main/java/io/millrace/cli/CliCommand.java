package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * What all commands share: {@code --help}, {@code --json}, and that an exception becomes a sentence and an exit code.
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

    /** Where results go. */
    protected final Output output() {
        return output;
    }

    /** Where errors go. */
    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}

package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The program without a command, which prints its help. */
@Command(
        name = "millrace",
        mixinStandardHelpOptions = true,
        versionProvider = VersionLines.class,
        sortOptions = false,
        usageHelpAutoWidth = true,
        synopsisHeading = "Usage: ",
        customSynopsis = "./millrace <command> [arguments]",
        descriptionHeading = "%n",
        description = {
            "Millrace keeps GPUs fed: a Flink job reads, decodes and augments training samples in parallel, "
                    + "trains on them, and reports which stage limits the speed."
        },
        optionListHeading = "%nOptions:%n",
        commandListHeading = "", // each group of commands has its own
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./millrace train conf/digits.yaml",
            "  ./millrace train conf/digits.yaml --set parallelism=4 --set batch.size=128",
            "  ./millrace preview conf/photos.yaml",
            "",
            "Every command has --help.",
            "Runs are written to runs/, the log is .millrace/millrace.log."
        })
final class RootCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return ExitCode.OK;
    }
}

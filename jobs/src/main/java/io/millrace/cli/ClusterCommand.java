package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code cluster start|add|status|stop}, which manages a local Flink cluster of real processes. */
@Command(
        name = "cluster",
        description = "Manages a Flink cluster of processes on this machine: start, add, status, stop.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionLines.class,
        sortOptions = false,
        usageHelpAutoWidth = true,
        subcommands = {
            ClusterStartCommand.class,
            ClusterAddCommand.class,
            ClusterStatusCommand.class,
            ClusterStopCommand.class
        })
final class ClusterCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Prints the subcommands, because none was named. */
    @Override
    public Integer call() {
        spec.commandLine().getErr().println("millrace: cluster: expected start, add, status or stop");
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }
}

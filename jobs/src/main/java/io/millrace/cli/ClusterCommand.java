package io.millrace.cli;

import io.millrace.run.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code cluster start|add|status|stop}: a local Flink cluster of real processes. */
@Command(
        name = "cluster",
        description = "Runs a Flink cluster of processes on this machine: start, add, status, stop.",
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

    /** Reached when nothing is named: says what there is. */
    @Override
    public Integer call() {
        spec.commandLine().getErr().println("millrace: cluster needs what to do: start, add, status or stop");
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE;
    }
}

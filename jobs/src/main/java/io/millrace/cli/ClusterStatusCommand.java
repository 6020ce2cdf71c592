package io.millrace.cli;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterStatus;
import io.millrace.cluster.LocalCluster;
import io.millrace.run.ExitCode;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code cluster status}, which prints the processes and jobs of a local cluster. */
@Command(
        name = "status",
        description = "Shows the cluster's processes and jobs. A TaskManager that died is shown once, with the reason.",
        footer = {"  ./millrace cluster status", "  ./millrace cluster status --json"})
final class ClusterStatusCommand extends CliCommand {
    @Mixin
    private LocalClusterOption local = new LocalClusterOption();

    @Override
    public Integer call() throws IOException, ClusterException, InterruptedException {
        LocalCluster cluster = local.cluster();
        ClusterStatus status = cluster.status();
        ClusterText.lines(cluster.name(), status, cluster.web()).forEach(output().text()::println);
        if (status.jobManager() == null) {
            ClusterText.otherNames(local.others()).ifPresent(output().text()::println);
        }
        cluster.forgetDead();
        output().result(status);
        return ExitCode.OK;
    }
}

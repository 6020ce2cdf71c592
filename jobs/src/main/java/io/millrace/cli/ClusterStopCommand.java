package io.millrace.cli;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ClusterStatus;
import io.millrace.cluster.LocalCluster;
import io.millrace.run.ExitCode;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code cluster stop}, which stops the processes of a local cluster. */
@Command(
        name = "stop",
        description = "Stops the cluster's processes and no others. Its jobs end; their checkpoints and the logs "
                + "remain.",
        footer = {"  ./millrace cluster stop"})
final class ClusterStopCommand extends CliCommand {
    @Mixin
    private LocalClusterOption local = new LocalClusterOption();

    @Override
    public Integer call() throws IOException, ClusterException, InterruptedException {
        LocalCluster cluster = local.cluster();
        ClusterStatus before = cluster.status();
        List<ClusterProcess> stopped = cluster.stop();
        before.jobs().stream().filter(job -> job.state().equals("RUNNING")).forEach(job -> output().text()
                .println("ended with the cluster: job " + job.id() + ", " + job.name()));
        output().text()
                .println(
                        stopped.isEmpty()
                                ? "nothing to stop: no process of a cluster runs in " + cluster.folder()
                                : "stopped " + Counted.of(stopped.size(), "process") + "; logs: "
                                        + cluster.folder().resolve("log"));
        if (stopped.isEmpty()) {
            ClusterText.otherNames(local.others()).ifPresent(output().text()::println);
        }
        output().result(Map.of(
                "stopped", stopped.stream().map(ClusterProcess::pid).toList()));
        return ExitCode.OK;
    }
}

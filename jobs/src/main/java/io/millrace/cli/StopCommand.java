package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import io.millrace.run.RunningJob;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code stop <job>}, which stops a job of a cluster with a savepoint. */
@Command(
        name = "stop",
        description = "Stops a job of a cluster with a savepoint, from which 'train --resume' continues.",
        footer = {"  ./millrace stop 4f2a", "  ./millrace stop photos --cluster gpu-1:8081"})
final class StopCommand extends CliCommand {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Parameters(paramLabel = "JOB", description = "The job's id, the beginning of the id, or the job's name.")
    private String job = "";

    @Override
    public Integer call() throws Exception {
        ClusterAddress address = cluster.address();
        RunningJob running = RunningJob.of(new ClusterRest(address.web()), job);
        try (RemoteFlink flink = RemoteFlink.at(address, List.of())) {
            String savepoint = running.stop(flink.jobs(), running.pipeline(List.of()));
            output().text().println("stopped " + running.job().id() + ", saved in " + savepoint);
            output().result(Map.of("job", running.job().id(), "savepoint", savepoint));
        }
        return ExitCode.OK;
    }
}

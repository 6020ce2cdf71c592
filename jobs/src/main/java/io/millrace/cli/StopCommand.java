package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import io.millrace.run.RunningJob;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code stop <job>}, which stops a job of a cluster with a savepoint. */
@Command(
        name = "stop",
        description =
                "Stops a job of a cluster with a savepoint, from which 'train --resume' continues. A job of 'serve' needs"
                        + " no savepoint, because its clients know their next step.",
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
            RunningJob.Stopped stopped = running.stop(flink.jobs());
            output().text()
                    .println("stopped " + running.job().id()
                            + stopped.savepoint()
                                    .map(path -> ", saved in " + path)
                                    .orElse("; its clients continue with their next step when serve is started again"));
            Map<String, String> result =
                    new LinkedHashMap<>(Map.of("job", running.job().id()));
            stopped.savepoint().ifPresent(path -> result.put("savepoint", path));
            running.description().summary().ifPresent(file -> {
                output().text()
                        .println("summary "
                                + stopped.unreported()
                                        .map(reason -> "none: " + reason)
                                        .orElse(file));
                if (stopped.unreported().isEmpty()) {
                    result.put("summary", file);
                }
            });
            output().result(result);
        }
        return ExitCode.OK;
    }
}

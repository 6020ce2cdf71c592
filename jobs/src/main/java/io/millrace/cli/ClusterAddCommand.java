package io.millrace.cli;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.LocalCluster;
import io.millrace.cluster.ProcessOptions;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cluster add}. */
@Command(
        name = "add",
        description = "Adds TaskManagers to the running cluster; jobs use them by themselves where the cluster is "
                + "elastic (conf/flink/elastic.yaml).",
        footer = {"  ./millrace cluster add", "  ./millrace cluster add 2 --slots 4"})
final class ClusterAddCommand extends CliCommand {
    @Mixin
    private ClusterPlace place = new ClusterPlace();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "<n>",
            defaultValue = "1",
            description = "How many; default: 1.")
    private int count;

    @Option(names = "--slots", paramLabel = "<s>", description = "Task slots of each; default: as configured.")
    private @Nullable Integer slots;

    @Option(names = "-D", paramLabel = "<key=value>", description = "One option of Flink, for these alone.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException, ClusterException, InterruptedException {
        LocalCluster cluster = place.cluster();
        if (count < 1 || count > 1000) {
            throw new UsageException("the number of TaskManagers to add is 1 to 1000, found " + count);
        }
        Map<String, String> flink = new LinkedHashMap<>(ClusterStartCommand.slots(slots));
        flink.putAll(options);
        for (int i = 0; i < count; i++) {
            ClusterProcess added = cluster.add(ProcessOptions.flink(flink));
            output().text()
                    .println(added.id() + " is there, with " + ClusterText.count(added.slots(), "slot") + " (process "
                            + added.pid() + ")");
        }
        output().result(cluster.status());
        return ExitCode.OK;
    }
}

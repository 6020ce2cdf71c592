package io.millrace.cli;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.ClusterStatus;
import io.millrace.cluster.LocalCluster;
import io.millrace.cluster.ProcessOptions;
import io.millrace.rest.ClusterRest;
import io.millrace.run.AddedSlots;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code cluster add}, which adds TaskManagers to a local cluster. */
@Command(
        name = "add",
        description =
                "Adds TaskManagers to the running cluster. On an elastic cluster (conf/flink/elastic.yaml) running "
                        + "jobs use them automatically.",
        footer = {"  ./millrace cluster add", "  ./millrace cluster add 2 --slots 4"})
final class ClusterAddCommand extends CliCommand {
    @Mixin
    private LocalClusterOption local = new LocalClusterOption();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "<n>",
            defaultValue = "1",
            description = "The number of TaskManagers to add; default: 1.")
    private int count;

    @Option(
            names = "--slots",
            paramLabel = "<s>",
            description = "The task slots of each TaskManager; default: as configured.")
    private @Nullable Integer slots;

    @Option(
            names = "-D",
            paramLabel = "<key=value>",
            description = "An option of Flink for the added TaskManagers only.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException, ClusterException, InterruptedException {
        LocalCluster cluster = local.cluster();
        if (count < 1 || count > 1000) {
            throw new UsageException("expected 1 to 1000 TaskManagers to add, found " + count);
        }
        Optional<String> others = ClusterText.otherNames(local.others());
        if (others.isPresent() && cluster.processes().stream().noneMatch(ClusterProcess::isAlive)) {
            throw new ClusterException("no cluster is running under the name " + cluster.name() + "; " + others.get());
        }
        Map<String, String> flink = new LinkedHashMap<>(ClusterStartCommand.slots(slots));
        flink.putAll(options);
        for (int i = 0; i < count; i++) {
            ClusterProcess added = cluster.add(ProcessOptions.flink(flink));
            output().text()
                    .println(added.id() + " has started, with " + Counted.of(added.slots(), "slot") + " (process "
                            + added.pid() + ")");
        }
        ClusterStatus status = cluster.status();
        Optional<URI> web = cluster.web();
        if (web.isPresent()) {
            AddedSlots.effects(new ClusterRest(web.get()), status.slots()).forEach(output().text()::println);
        }
        output().result(status);
        return ExitCode.OK;
    }
}

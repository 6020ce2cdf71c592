package io.millrace.cli;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.ClusterSettings;
import io.millrace.cluster.ClusterStart;
import io.millrace.cluster.ClusterStatus;
import io.millrace.cluster.LocalCluster;
import io.millrace.cluster.OpenPorts;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.TaskManagerOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code cluster start}, which starts a local cluster. */
@Command(
        name = "start",
        description = "Starts a JobManager and TaskManagers as separate processes, with the web UI on loopback. "
                + "They run until 'cluster stop'.",
        footer = {
            "  ./millrace cluster start",
            "  ./millrace cluster start --taskmanagers 2 --slots 4",
            "  ./millrace cluster start --conf conf/flink/gpu.yaml -D rest.port=9000"
        })
final class ClusterStartCommand extends CliCommand {
    @Mixin
    private LocalClusterOption local = new LocalClusterOption();

    @Option(
            names = "--taskmanagers",
            paramLabel = "<n>",
            description = "The number of TaskManagers; default: ${DEFAULT-VALUE}.")
    private int taskManagers = 1;

    @Option(
            names = "--slots",
            paramLabel = "<s>",
            description = "The task slots of each TaskManager; default: as configured, 2.")
    private @Nullable Integer slots;

    @Option(
            names = "--conf",
            paramLabel = "<file>",
            description = "A file with Flink's options, such as those in conf/flink; default: conf/flink/elastic.yaml.")
    private @Nullable Path file;

    @Option(
            names = "-D",
            paramLabel = "<key=value>",
            description = "An option of Flink; takes precedence over the file.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--bind",
            paramLabel = "<address>",
            description =
                    "The address at which all processes listen, 0.0.0.0 for all interfaces; default: 127.0.0.1."
                            + " Everybody who reaches it can run code in the cluster, unless Flink's options demand certificates.")
    private @Nullable String bind;

    /** Refused with the page that names Flink's own options. */
    @Option(names = "--ha", hidden = true)
    private boolean highAvailability;

    @Override
    public Integer call() throws IOException, ClusterException, InterruptedException {
        if (highAvailability) {
            throw new UsageException(
                    "--ha does not exist any more: a cluster on one machine does not replace its JobManager."
                            + " Jobs survive a JobManager with Flink's own options high-availability.*, see docs/cluster/cluster.md");
        }
        LocalCluster cluster = local.cluster();
        cluster.start(ClusterStart.of(settings(), taskManagers));
        ClusterStatus status = cluster.status();
        output().text()
                .println("the cluster runs: " + Counted.of(taskManagers, "TaskManager") + ", "
                        + Counted.of(status.slots(), "slot") + "; web UI: "
                        + cluster.web().orElseThrow());
        for (String open : cluster.openPorts()) {
            output().text().println("open    " + open);
        }
        output().text().println("train on it with: ./millrace train <pipeline.yaml> --cluster " + status.rest());
        output().result(status);
        return ExitCode.OK;
    }

    private ClusterSettings settings() throws IOException, ClusterException {
        if (taskManagers < 0 || taskManagers > 1000) {
            throw new UsageException("--taskmanagers: expected 0 to 1000, found " + taskManagers);
        }
        ClusterSettings read = file == null ? ClusterSettings.shipped("elastic") : ClusterSettings.read(file);
        ClusterSettings wanted = read.with(slots(slots)).with(options);
        String address = bind;
        if (address == null) {
            OpenPorts.requireLoopback(wanted);
            return wanted;
        }
        OpenPorts.requireOfThisMachine(address);
        return wanted.with(OpenPorts.at(address));
    }

    /** Returns Flink's option for {@code --slots}; empty when the option is missing. */
    static Map<String, String> slots(@Nullable Integer slots) {
        if (slots == null) {
            return Map.of();
        }
        if (slots < 1 || slots > 1024) {
            throw new UsageException("--slots: expected 1 to 1024, found " + slots);
        }
        return Map.of(TaskManagerOptions.NUM_TASK_SLOTS.key(), Integer.toString(slots));
    }
}

package io.millrace.cli;

import io.millrace.cluster.LocalCluster;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that selects one of the local clusters; a mixin. */
final class LocalClusterOption {
    @Option(
            names = "--name",
            paramLabel = "<name>",
            description = "The name of the cluster, if several run on this machine; default: ${DEFAULT-VALUE}.")
    private String name = "local";

    /** Returns the cluster with this name, which need not exist yet. */
    LocalCluster cluster() {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            throw new UsageException("--name: expected letters, digits, '.', '_' and '-', found '" + name + "'");
        }
        return new LocalCluster(clusters().resolve(name));
    }

    /** Returns the clusters that run on this machine under other names. */
    List<LocalCluster> others() throws IOException {
        return LocalCluster.running(clusters()).stream()
                .filter(cluster -> !cluster.name().equals(name))
                .toList();
    }

    private static Path clusters() {
        return state().resolve("cluster");
    }

    /** Returns the folder for the state of the launcher. */
    private static Path state() {
        return Path.of(Optional.ofNullable(System.getProperty("millrace.state")).orElse(".millrace"));
    }
}

package io.millrace.cli;

import io.millrace.cluster.LocalCluster;
import io.millrace.run.UsageException;
import java.nio.file.Path;
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
        return new LocalCluster(state().resolve("cluster").resolve(name));
    }

    /** Returns the folder for the state of the launcher. */
    private static Path state() {
        return Path.of(Optional.ofNullable(System.getProperty("millrace.state")).orElse(".millrace"));
    }
}

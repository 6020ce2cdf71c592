package io.millrace.cli;

import io.millrace.cluster.LocalCluster;
import io.millrace.run.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which of the local clusters is meant. */
final class ClusterPlace {
    @Option(
            names = "--name",
            paramLabel = "<name>",
            description = "Which cluster, where several run on this machine; default: ${DEFAULT-VALUE}.")
    private String name = "local";

    /** The cluster of this name, which may be none yet. */
    LocalCluster cluster() {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            throw new UsageException("--name is for letters, digits, '.', '_' and '-', found '" + name + "'");
        }
        return new LocalCluster(state().resolve("cluster").resolve(name));
    }

    /** Where the launcher keeps what is no run's. */
    private static Path state() {
        return Path.of(Optional.ofNullable(System.getProperty("millrace.state")).orElse(".millrace"));
    }
}

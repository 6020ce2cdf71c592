package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that selects a cluster; a mixin. */
final class ClusterOption {
    private static final URI DEFAULT = URI.create("http://127.0.0.1:8081");

    @Option(
            names = "--cluster",
            paramLabel = "HOST:PORT",
            description =
                    "The address of the cluster's web UI. Default: the local cluster if one runs, else 127.0.0.1:8081.")
    private @Nullable String cluster;

    /**
     * Returns the address of the cluster.
     *
     * @throws UsageException when the option is not a valid address
     */
    ClusterAddress address() throws IOException {
        String text = cluster;
        if (text == null) {
            Optional<URI> local = new LocalClusterOption().cluster().web();
            return new ClusterAddress(local.orElse(DEFAULT));
        }
        try {
            return ClusterAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cluster: " + e.getMessage());
        }
    }
}

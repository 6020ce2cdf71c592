package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.rest.ClusterRest;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that selects a cluster; a mixin. */
final class ClusterOption {
    private static final URI DEFAULT = URI.create("http://127.0.0.1:8081");
    private static final LocalClusterOption LOCAL = new LocalClusterOption();

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
     * @throws IOException when the option is absent, no Flink answers at its default, and local clusters run under other names
     */
    ClusterAddress address() throws IOException, InterruptedException {
        String text = cluster;
        if (text == null) {
            Optional<URI> local = LOCAL.cluster().web();
            if (local.isEmpty()) {
                requireDefault();
            }
            return new ClusterAddress(local.orElse(DEFAULT));
        }
        try {
            return ClusterAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cluster: " + e.getMessage());
        }
    }

    /** Names the local clusters with other names, if there are some and no Flink answers at the default address. */
    private static void requireDefault() throws IOException, InterruptedException {
        Optional<String> others = ClusterText.otherAddresses(LOCAL.others());
        if (others.isEmpty()) {
            return;
        }
        try {
            new ClusterRest(DEFAULT).flinkVersion();
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; " + others.get(), e);
        }
    }
}

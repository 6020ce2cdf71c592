package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which cluster a command asks; a mixin. */
final class ClusterOption {
    private static final URI USUAL = URI.create("http://127.0.0.1:8081");

    @Option(
            names = "--cluster",
            paramLabel = "HOST:PORT",
            description = "The web UI's address. Default: the local cluster's, or else 127.0.0.1:8081.")
    private @Nullable String cluster;

    /**
     * Its address.
     *
     * @throws UsageException when what the user gives is none
     */
    ClusterAddress address() throws IOException {
        String text = cluster;
        if (text == null) {
            Optional<URI> local = new ClusterPlace().cluster().web();
            return new ClusterAddress(local.orElse(USUAL));
        }
        try {
            return ClusterAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cluster: " + e.getMessage());
        }
    }
}

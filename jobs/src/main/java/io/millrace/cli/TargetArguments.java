package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.run.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the place where a job runs and for the client that waits; a mixin. */
final class TargetArguments {
    @Option(
            names = "--cluster",
            paramLabel = "HOST:PORT",
            description = "Run on the Flink cluster with this web UI instead of in this process.")
    private @Nullable String cluster;

    @Option(
            names = "--detach",
            description = "With --cluster: exit when the job is submitted; the job writes its summary itself.")
    private boolean detach;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "The file for the summary. Default: summary.json in the run's folder.")
    private @Nullable Path summary;

    /**
     * Returns the cluster; empty for a Flink in this process.
     *
     * @throws UsageException when the options contradict each other
     */
    Optional<ClusterAddress> cluster() {
        String text = cluster;
        if (text == null) {
            if (detach) {
                throw new UsageException("--detach requires --cluster: a Flink in this process ends with the process");
            }
            return Optional.empty();
        }
        try {
            return Optional.of(ClusterAddress.parse(text));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cluster: " + e.getMessage());
        }
    }

    /** Returns the address as it was written; empty for a Flink in this process. */
    Optional<String> clusterText() {
        return Optional.ofNullable(cluster);
    }

    boolean detached() {
        return detach;
    }

    Optional<Path> summary() {
        return Optional.ofNullable(summary);
    }
}

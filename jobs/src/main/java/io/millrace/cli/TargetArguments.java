package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.run.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a run's job runs and who waits for it; a mixin. */
final class TargetArguments {
    @Option(
            names = "--cluster",
            paramLabel = "HOST:PORT",
            description = "Run on the Flink cluster whose web UI is there, instead of in this process.")
    private @Nullable String cluster;

    @Option(
            names = "--detach",
            description = "With --cluster: leave once the job is submitted; the job writes its summary itself.")
    private boolean detach;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "Where the summary is written. Default: summary.json in the run's folder.")
    private @Nullable Path summary;

    /**
     * The cluster; empty for a Flink in this process.
     *
     * @throws UsageException when the options do not go together
     */
    Optional<ClusterAddress> cluster() {
        String text = cluster;
        if (text == null) {
            if (detach) {
                throw new UsageException("--detach goes with --cluster: a Flink in this process ends with it");
            }
            return Optional.empty();
        }
        try {
            return Optional.of(ClusterAddress.parse(text));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--cluster: " + e.getMessage());
        }
    }

    boolean detached() {
        return detach;
    }

    Optional<Path> summary() {
        return Optional.ofNullable(summary);
    }
}

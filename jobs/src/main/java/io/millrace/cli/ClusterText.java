package io.millrace.cli;

import io.millrace.cluster.ClusterStatus;
import io.millrace.cluster.LocalCluster;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The status of a local cluster as lines of text. */
final class ClusterText {
    private ClusterText() {}

    /** Returns one line for each process and job. */
    static List<String> lines(String name, ClusterStatus status, Optional<URI> web) {
        List<String> lines = new ArrayList<>();
        if (status.jobManager() == null) {
            return List.of("no cluster runs under the name " + name + "; ./millrace cluster start starts one");
        }
        lines.add("web UI        " + web.map(URI::toString).orElse("-"));
        lines.add(member("JobManager", status.jobManager()));
        for (ClusterStatus.Worker worker : status.taskManagers()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-13s %s, %s, process %d%s",
                    worker.id(),
                    worker.state().word(),
                    Counted.of(worker.slots(), "slot"),
                    worker.pid(),
                    reason(worker.reason())));
        }
        for (ClusterStatus.Job job : status.jobs()) {
            lines.add(String.format(
                    Locale.ROOT, "job           %s %s, %s, %.0f s", job.id(), job.name(), job.state(), job.seconds()));
        }
        if (!status.isRunning()) {
            lines.add("./millrace cluster stop ends the remaining processes");
        }
        return lines;
    }

    /** Returns a line with the options that name these clusters; empty without clusters. */
    static Optional<String> otherNames(List<LocalCluster> clusters) {
        return running(clusters.stream()
                .map(cluster -> cluster.name() + " (add --name " + cluster.name() + ")")
                .toList());
    }

    /**
     * Returns a line with the options that name the addresses of these clusters; empty without clusters.
     *
     * @throws IOException when the description of a cluster cannot be read
     */
    static Optional<String> otherAddresses(List<LocalCluster> clusters) throws IOException {
        List<String> names = new ArrayList<>();
        for (LocalCluster cluster : clusters) {
            cluster.web().ifPresent(web -> names.add(cluster.name() + " (add --cluster " + address(web) + ")"));
        }
        return running(names);
    }

    private static String address(URI web) {
        return "https".equals(web.getScheme()) ? web.toString() : web.getAuthority();
    }

    private static Optional<String> running(List<String> names) {
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of((names.size() == 1 ? "another local cluster runs: " : "other local clusters run: ")
                        + String.join(", ", names));
    }

    private static String member(String title, ClusterStatus.Member member) {
        return String.format(
                Locale.ROOT,
                "%-13s %s, process %d%s",
                title,
                member.state().word(),
                member.pid(),
                reason(member.reason()));
    }

    private static String reason(@Nullable String reason) {
        return reason == null ? "" : ": " + reason;
    }
}

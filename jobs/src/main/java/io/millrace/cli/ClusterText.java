package io.millrace.cli;

import io.millrace.cluster.ClusterStatus;
import io.millrace.sample.Counted;
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
    static List<String> lines(ClusterStatus status, Optional<URI> web) {
        List<String> lines = new ArrayList<>();
        if (status.jobManager() == null) {
            return List.of("no cluster runs; ./millrace cluster start starts one");
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

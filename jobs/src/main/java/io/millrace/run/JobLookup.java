package io.millrace.run;

import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The search for the job that a user names. */
public final class JobLookup {
    private static final String OURS = "millrace ";

    private JobLookup() {}

    /**
     * Returns the job whose id is this text or begins with it. If there is none, returns the latest job with this name.
     *
     * @throws UsageException when no job matches, or when several ids begin with this text
     */
    public static ClusterJob find(ClusterRest cluster, String text) throws IOException, InterruptedException {
        List<ClusterJob> jobs = cluster.jobs();
        String prefix = text.toLowerCase(Locale.ROOT);
        List<ClusterJob> byId =
                jobs.stream().filter(job -> job.id().startsWith(prefix)).toList();
        if (byId.size() == 1) {
            return byId.get(0);
        }
        if (byId.size() > 1) {
            throw new UsageException("several jobs have ids that begin with " + text + ": use more digits of the id");
        }
        return jobs.stream()
                .filter(job -> job.name().equals(text) || job.name().equals(OURS + text))
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "no job '" + text + "': expected an id, the beginning of an id, or one of the names "
                                + jobs.stream().map(ClusterJob::name).distinct().toList()));
    }
}

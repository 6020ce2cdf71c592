package io.millrace.run;

import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Finds the job that a user means. */
public final class JobLookup {
    private static final String OURS = "millrace ";

    private JobLookup() {}

    /**
     * The job of this id, or of the id that begins so, or the latest of this name.
     *
     * @throws UsageException when there is none, or several ids begin so
     */
    public static ClusterJob find(ClusterRest cluster, String text) throws IOException, InterruptedException {
        List<ClusterJob> jobs = cluster.jobs();
        String wanted = text.toLowerCase(Locale.ROOT);
        List<ClusterJob> byId =
                jobs.stream().filter(job -> job.id().startsWith(wanted)).toList();
        if (byId.size() == 1) {
            return byId.get(0);
        }
        if (byId.size() > 1) {
            throw new UsageException("several jobs have ids that begin with " + text + ": give more of it");
        }
        return jobs.stream()
                .filter(job -> job.name().equals(text) || job.name().equals(OURS + text))
                .findFirst()
                .orElseThrow(() ->
                        new UsageException("no job '" + text + "': expected an id, or its beginning, or a name of "
                                + jobs.stream().map(ClusterJob::name).distinct().toList()));
    }
}

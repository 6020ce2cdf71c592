package io.millrace.run;

import io.millrace.pipeline.JobDescription;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the running jobs of a cluster do with slots that were added to it. */
public final class AddedSlots {
    private AddedSlots() {}

    /**
     * Returns a sentence for each running Millrace job.
     *
     * @param all the number of slots of the cluster, with those that were added
     */
    public static List<String> effects(ClusterRest rest, int all) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (ClusterJob job : rest.jobs()) {
            if (job.endedAtMillis() == null
                    && JobDescription.read(rest.parameters(job.id())).isPresent()) {
                int now = rest.tasks(job.id()).parallelism();
                int most = job.adaptive()
                        ? Collections.max(rest.mostSlots(job.id()).values(), Integer::compare)
                        : now;
                lines.add("job     " + JobStatusLine.shortId(job.id()) + " (" + job.name() + ") "
                        + effect(JobStatusLine.shortId(job.id()), job.adaptive(), now, most, all));
            }
        }
        return lines;
    }

    /**
     * Returns the effect on a job.
     *
     * @param now the slots that the job uses
     * @param most the slots that it may use without a change
     * @param all the slots of the cluster
     */
    static String effect(String job, boolean adaptive, int now, int most, int all) {
        if (adaptive && Math.min(most, all) > now) {
            return "uses " + Counted.of(now, "slot") + " and may use " + most
                    + ": it continues from its next checkpoint with the slots that are free";
        }
        String change = ": ./millrace scale " + job + " parallelism=" + all + " changes that";
        if (!adaptive) {
            return "keeps its " + Counted.of(now, "slot") + ", because this cluster has no adaptive scheduler"
                    + (all > now ? change : "");
        }
        return "keeps its " + Counted.of(now, "slot") + ", which are all that its parallelism allows"
                + (all > now ? change : "");
    }
}

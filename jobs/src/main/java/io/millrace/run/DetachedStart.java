package io.millrace.run;

import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.JobTasks;
import io.millrace.rest.ResourceWait;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;

/** The wait for the start of a job whose client ends once the job runs. */
final class DetachedStart {
    /**
     * The longest wait. It is long enough for a job to begin or to fail at once, and short enough for use in a script.
     */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(8);

    private static final long INTERVAL_MILLIS = 250;

    private DetachedStart() {}

    /**
     * Waits until the job runs. Prints the resources that the job waits for if it does not run within eight seconds.
     *
     * @throws Exception the reason for the failure, if the job failed at once
     */
    static void await(ClusterRest cluster, FlinkJobs jobs, JobID job, SlotRequirement need, PrintWriter err)
            throws Exception {
        long began = System.nanoTime();
        while (true) {
            JobTasks tasks = cluster.tasks(job.toString());
            if (tasks.state().equals("FAILED")) {
                JobResult result = jobs.result(job).get();
                throw JobRun.failure(result, jobs.web());
            }
            boolean runs = tasks.state().equals("RUNNING") && !tasks.waitsForSlots();
            if (runs || tasks.state().equals("FINISHED") || tasks.state().equals("CANCELED")) {
                return;
            }
            if (System.nanoTime() - began > MOST_NANOS) {
                err.println("millrace: "
                        + ResourceWait.sentence(tasks, need, cluster.taskManagers())
                                .orElse("the job has not begun yet: Flink reports " + tasks.state()));
                err.flush();
                return;
            }
            TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
        }
    }
}

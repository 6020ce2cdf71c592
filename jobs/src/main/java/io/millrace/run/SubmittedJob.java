package io.millrace.run;

import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.SlotRequirement;
import io.millrace.report.html.MachineFacts;
import io.millrace.rest.ClusterRest;
import java.io.PrintWriter;
import java.net.URI;
import java.util.Map;
import org.apache.flink.api.common.JobID;

/**
 * A submitted job. Its client either waits for the outcome or ends after the first seconds. Closing this object ends a
 * Flink in this process; a job on a cluster continues.
 */
public final class SubmittedJob implements AutoCloseable {
    private final PreparedRun run;
    private final JobID id;
    private final JobRun.Where where;
    private final FlinkJobs jobs;
    private final Runnable closing;

    /**
     * Takes ownership of the connection to Flink.
     *
     * @param closing the action that closes the connection
     */
    SubmittedJob(PreparedRun run, JobID id, JobRun.Where where, FlinkJobs jobs, Runnable closing) {
        this.run = run;
        this.id = id;
        this.where = where;
        this.jobs = jobs;
        this.closing = closing;
    }

    /** Returns the run that the job executes. */
    public PreparedRun run() {
        return run;
    }

    /** Returns Flink's id of the job. */
    public String id() {
        return id.toString();
    }

    /** Returns the address of the web UI. */
    public URI web() {
        return jobs.web();
    }

    /** Waits for the end of the job and shows its progress. An interrupt saves and stops the job. */
    public JobRun.Outcome await(Interrupt interrupt, JobRun.Verdicts verdicts) throws Exception {
        return new JobRun(run, jobs, where, verdicts).await(id, interrupt);
    }

    /** Returns the known properties of the machines on which the job ran. */
    public Map<String, String> machines(JobRun.Outcome outcome) {
        return where == JobRun.Where.HERE ? MachineFacts.here() : MachineFacts.of(outcome.machines());
    }

    /**
     * Waits some seconds for the job to begin. If it does not begin, prints the resources that it waits for.
     *
     * @throws Exception the reason for the failure, if the job failed at once
     */
    public void awaitStart(PrintWriter err) throws Exception {
        DetachedStart.await(new ClusterRest(jobs.web()), jobs, id, SlotRequirement.of(run.config()), err);
    }

    @Override
    public void close() {
        closing.run();
    }
}

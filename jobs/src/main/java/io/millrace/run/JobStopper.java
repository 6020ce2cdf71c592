package io.millrace.run;

import io.millrace.pipeline.FlinkJobs;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a job when the user asks: saves it and stops it, or where it cannot be saved in time cancels it. */
final class JobStopper {
    private static final Logger LOG = LoggerFactory.getLogger(JobStopper.class);

    /** Who pressed Ctrl-C waits; a job that is held up by slow storage goes on from its last checkpoint. */
    private static final long MOST_SECONDS = 15;

    private final FlinkJobs jobs;
    private final JobID job;
    private final String savepoints;

    /** Volatile: set by the stopping thread, read by the one that waits for the job. */
    private volatile boolean asked;

    /**
     * For one job.
     *
     * @param savepoints where its savepoint goes
     */
    JobStopper(FlinkJobs jobs, JobID job, String savepoints) {
        this.jobs = jobs;
        this.job = job;
        this.savepoints = savepoints;
    }

    /** Waits for the user, on a thread of its own. */
    void stopWhen(Interrupt interrupt, CompletableFuture<?> ending) {
        try {
            interrupt.await();
            asked = true;
            if (!ending.isDone() && !saved()) {
                jobs.cancel(job);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the job could not be stopped: {}", e.toString(), e);
        }
    }

    /** Whether the user has asked. */
    boolean asked() {
        return asked;
    }

    private boolean saved() throws InterruptedException {
        try {
            String path = jobs.stopWithSavepoint(job, savepoints).get(MOST_SECONDS, TimeUnit.SECONDS);
            LOG.info("stopped with the savepoint {}", path);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("no savepoint, the job is cancelled: {}", e.toString(), e);
            return false;
        }
    }
}

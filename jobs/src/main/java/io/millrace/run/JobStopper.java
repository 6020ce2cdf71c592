package io.millrace.run;

import io.millrace.pipeline.FlinkJobs;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a job that the user interrupts. The job is stopped with a savepoint, or cancelled if the savepoint takes
 * too long.
 */
final class JobStopper {
    private static final Logger LOG = LoggerFactory.getLogger(JobStopper.class);

    /**
     * The longest wait for the savepoint. It is short, because the user waits after Ctrl-C, and a job without a
     * savepoint can be resumed from its last checkpoint.
     */
    private static final long MOST_SECONDS = 15;

    private final FlinkJobs jobs;
    private final JobID job;
    private final @Nullable String savepoints;

    /**
     * Whether the user has interrupted the job. Volatile because the stopping thread sets it and the thread that waits
     * for the job reads it.
     */
    private volatile boolean stopping;

    /**
     * Creates a stopper for one job.
     *
     * @param savepoints the folder or address for the job's savepoint; null when the job is cancelled at once
     */
    JobStopper(FlinkJobs jobs, JobID job, @Nullable String savepoints) {
        this.jobs = jobs;
        this.job = job;
        this.savepoints = savepoints;
    }

    /** Waits for an interrupt and then ends the job. Runs on its own thread. */
    void stopWhen(Interrupt interrupt, CompletableFuture<?> ending) {
        try {
            interrupt.await();
            stopping = true;
            if (!ending.isDone() && (savepoints == null || !stopWithSavepoint(savepoints))) {
                jobs.cancel(job);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the job could not be stopped: {}", e.toString(), e);
        }
    }

    /** Returns whether the user has interrupted the job. */
    boolean isStopping() {
        return stopping;
    }

    /** Stops the job with a savepoint, and returns whether the savepoint was written. */
    private boolean stopWithSavepoint(String folder) throws InterruptedException {
        try {
            String path = jobs.stopWithSavepoint(job, folder).get(MOST_SECONDS, TimeUnit.SECONDS);
            LOG.info("stopped with the savepoint {}", path);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("no savepoint, the job is cancelled: {}", e.toString(), e);
            return false;
        }
    }
}

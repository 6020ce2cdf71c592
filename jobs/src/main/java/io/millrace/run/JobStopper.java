package io.millrace.run;

import io.millrace.pipeline.FlinkJobs;
import java.io.IOException;
import java.time.Duration;
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

    /**
     * The longest wait for the tasks of a cancelled job in this process. A task that runs on, for example in a user's function or
     * at storage that does not answer, ends with the process. Flink itself would wait 3 minutes, and then for the task again.
     */
    private static final Duration MOST_AFTER_CANCELLATION = Duration.ofSeconds(60);

    private final FlinkJobs jobs;
    private final JobID job;
    private final @Nullable String savepoints;
    private final @Nullable Duration afterCancellation;

    /**
     * Whether the user has interrupted the job. Volatile because the stopping thread sets it and the thread that waits
     * for the job reads it.
     */
    private volatile boolean stopping;

    /**
     * Creates a stopper for one job.
     *
     * @param savepoints the folder or address for the job's savepoint; null when the job is cancelled at once
     * @param where the place of the tasks
     */
    JobStopper(FlinkJobs jobs, JobID job, @Nullable String savepoints, JobRun.Where where) {
        this(jobs, job, savepoints, where == JobRun.Where.HERE ? MOST_AFTER_CANCELLATION : null);
    }

    /**
     * Creates a stopper for one job.
     *
     * @param afterCancellation the longest wait for the tasks of a cancelled job; null when they are in other processes
     */
    JobStopper(FlinkJobs jobs, JobID job, @Nullable String savepoints, @Nullable Duration afterCancellation) {
        this.jobs = jobs;
        this.job = job;
        this.savepoints = savepoints;
        this.afterCancellation = afterCancellation;
    }

    /**
     * Waits for an interrupt and then ends the job. Runs on its own thread.
     *
     * @param ending completes with the job. If its tasks run on after a cancellation, this method completes it with a failure
     */
    void stopWhen(Interrupt interrupt, CompletableFuture<?> ending) {
        try {
            interrupt.await();
            stop(ending);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the job could not be stopped: {}", e.toString(), e);
        }
    }

    void stop(CompletableFuture<?> ending) throws Exception {
        stopping = true;
        if (!ending.isDone() && (savepoints == null || !stopWithSavepoint(savepoints))) {
            jobs.cancel(job);
            if (afterCancellation != null) {
                awaitTasks(ending, afterCancellation);
            }
        }
    }

    private static void awaitTasks(CompletableFuture<?> ending, Duration most) throws InterruptedException {
        try {
            ending.get(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            ending.completeExceptionally(new IOException(
                    "a task of the job has not ended within " + most.toSeconds()
                            + " s after the job was cancelled; it ends with this process",
                    e));
        } catch (ExecutionException e) {
            LOG.debug("the thread that waits for the job reports its failure", e);
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

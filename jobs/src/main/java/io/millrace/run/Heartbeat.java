package io.millrace.run;

import io.millrace.pipeline.FlinkJobs;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.cli.ClientOptions;
import org.apache.flink.configuration.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signs of life of a command whose job ends with it. A job that delivers to clients has no end of its own: without the
 * command, its clients have no front door, and the job would hold its slots for ever. If the command dies, Flink cancels the job
 * after {@code client.heartbeat.timeout} and within another minute. The clients go on when the command is started again.
 */
final class Heartbeat implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    /** The part of the timeout for which an answer is waited for, so that some lost answers do no harm. */
    private static final int PART = 6;

    private final ClusterRest cluster;
    private final FlinkJobs jobs;
    private final JobID job;
    private final Duration interval;
    private final Duration timeout;
    private final Thread thread;

    /**
     * Begins to send signs of life.
     *
     * @param flink the pipeline's settings of Flink, with {@code client.heartbeat.interval} and {@code client.heartbeat.timeout}
     */
    Heartbeat(ClusterRest cluster, FlinkJobs jobs, JobID job, Map<String, String> flink) {
        this.cluster = cluster;
        this.jobs = jobs;
        this.job = job;
        this.interval = Configuration.fromMap(flink).get(ClientOptions.CLIENT_HEARTBEAT_INTERVAL);
        this.timeout = timeout(flink);
        this.thread = new Thread(this::beat, "heartbeat");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the time after which Flink cancels a job whose command has sent no sign of life. */
    static Duration timeout(Map<String, String> flink) {
        return Configuration.fromMap(flink).get(ClientOptions.CLIENT_HEARTBEAT_TIMEOUT);
    }

    private void beat() {
        try {
            while (true) {
                try {
                    // Flink compares the time with the JobManager's clock, which may differ from the clock here.
                    long untilMillis = cluster.nowMillis(job.toString()) + timeout.toMillis();
                    jobs.heartbeat(job, untilMillis, timeout.dividedBy(PART));
                } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
                    // Without this thread, Flink would cancel the job.
                    LOG.info("Flink has confirmed no sign of life of the client of job {}", job, e);
                }
                TimeUnit.MILLISECONDS.sleep(interval.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the signs of life. */
    @Override
    public void close() {
        thread.interrupt();
    }
}

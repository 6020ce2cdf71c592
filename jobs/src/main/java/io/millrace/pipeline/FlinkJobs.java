package io.millrace.pipeline;

import io.millrace.sink.deliver.DeliverEvents;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * The jobs of a Flink cluster, in this process or elsewhere. Commands submit, cancel and stop jobs through this class.
 * Several threads may use it.
 */
public final class FlinkJobs {
    private final ClusterClient<?> client;
    private final URI web;
    private final List<Path> jars;

    /**
     * Creates the jobs of a cluster. The caller owns the client and closes it.
     *
     * @param jars the jars with the job's classes that are not installed on the cluster
     */
    FlinkJobs(ClusterClient<?> client, URI web, List<Path> jars) {
        this.client = client;
        this.web = web;
        this.jars = List.copyOf(jars);
    }

    /** Returns the address of the web UI and the REST interface, such as http://127.0.0.1:8081. */
    public URI web() {
        return web;
    }

    /** Submits a job without a checkpoint to restore. */
    public JobID submit(StreamGraph graph) throws Exception {
        return submit(graph, SavepointRestoreSettings.none());
    }

    /**
     * Submits a job, which runs until {@link #result} completes.
     *
     * @param restore the checkpoint or savepoint to restore, or {@link SavepointRestoreSettings#none}
     */
    public JobID submit(StreamGraph graph, SavepointRestoreSettings restore) throws Exception {
        graph.setSavepointRestoreSettings(restore);
        return submit(graph.getJobGraph());
    }

    /**
     * Submits a job that Flink cancels by itself if this process ends.
     *
     * @param most the longest time that the job may run without a {@link #heartbeat}; Flink cancels it within about a minute
     *     after that, even if this process has ended
     */
    public JobID submit(StreamGraph graph, Duration most) throws Exception {
        JobGraph job = graph.getJobGraph();
        job.setInitialClientHeartbeatTimeout(most.toMillis());
        return submit(job);
    }

    /**
     * Lets a job run that was submitted with a limit of its time.
     *
     * @param untilMillis the new end of the time that the job may run, by the JobManager's clock, in milliseconds since 1970
     * @param patience the longest time to wait for Flink's answer
     * @throws TimeoutException when Flink does not answer within this time
     */
    public void heartbeat(JobID job, long untilMillis, Duration patience)
            throws ExecutionException, InterruptedException, TimeoutException {
        client.reportHeartbeat(job, untilMillis).get(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private JobID submit(JobGraph job) throws Exception {
        for (Path jar : jars) {
            job.addJar(new org.apache.flink.core.fs.Path(jar.toUri()));
        }
        MinimumSlots.declare(job);
        return client.submitJob(job).get();
    }

    /** Returns a future that completes when the job has finished, failed or been cancelled. */
    public CompletableFuture<JobResult> result(JobID job) {
        return client.requestJobResult(job);
    }

    /** Cancels the job without a savepoint. {@link #result} completes when it has stopped. */
    public void cancel(JobID job) throws Exception {
        client.cancel(job).get();
    }

    /**
     * Lets the sinks of a served job end their connections and report the run. The job must then be cancelled.
     *
     * @return a future that completes when all sinks that run have reported; it fails when the job is not running
     */
    public CompletableFuture<DeliverEvents.StopAnswer> endDelivery(JobID job) {
        return client.sendCoordinationRequest(job, Stages.DELIVER, new DeliverEvents.StopRequest())
                .thenApply(DeliverEvents.StopAnswer.class::cast);
    }

    /**
     * Stops the job with a savepoint, as at the end of its input. Its result is then FINISHED. If the savepoint fails,
     * the job continues.
     *
     * @param folder the folder or address of the savepoint, which all machines of the job can reach
     * @return a future that completes with the savepoint's address when the job has ended
     */
    public CompletableFuture<String> stopWithSavepoint(JobID job, String folder) {
        return client.stopWithSavepoint(job, false, folder, SavepointFormatType.CANONICAL);
    }

    /**
     * Returns the accumulators of an ended job, also of a cancelled or failed one. They are read from the job's result,
     * because Flink's REST answers about a job are some seconds old.
     */
    public static Map<String, Serializable> accumulators(JobResult result) throws IOException, ClassNotFoundException {
        Map<String, Serializable> values = new HashMap<>();
        for (var entry : result.getAccumulatorResults().entrySet()) {
            Object value = entry.getValue()
                    .deserializeValue(FlinkJobs.class.getClassLoader())
                    .getUnchecked();
            if (value instanceof Serializable serializable) {
                values.put(entry.getKey(), serializable);
            }
        }
        return values;
    }
}

package io.millrace.pipeline;

import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * The jobs of a Flink, in this process or elsewhere: what commands do with jobs, they do through this. Safe for use by
 * several threads. Whoever gave it closes what it talks to.
 */
public final class FlinkJobs {
    private final ClusterClient<?> client;
    private final URI web;
    private final List<Path> jars;

    /**
     * Takes the way to a cluster; the client stays its maker's.
     *
     * @param jars what the cluster needs of a job's classes and does not have
     */
    FlinkJobs(ClusterClient<?> client, URI web, List<Path> jars) {
        this.client = client;
        this.web = web;
        this.jars = List.copyOf(jars);
    }

    /** The address of the web UI and the REST interface, as http://127.0.0.1:8081. */
    public URI web() {
        return web;
    }

    /** Submits a job that begins with nothing, as {@link #submit(StreamGraph, SavepointRestoreSettings)}. */
    public JobID submit(StreamGraph graph) throws Exception {
        return submit(graph, SavepointRestoreSettings.none());
    }

    /**
     * Submits a job; it runs until {@link #result} says so.
     *
     * @param restore the checkpoint or savepoint that it begins with, or {@link SavepointRestoreSettings#none}
     */
    public JobID submit(StreamGraph graph, SavepointRestoreSettings restore) throws Exception {
        graph.setSavepointRestoreSettings(restore);
        return submit(graph.getJobGraph());
    }

    /**
     * Submits a job that is of use to this process alone.
     *
     * @param most the time after which Flink cancels it, in a minute or so, should nobody have done that by then: also when
     *     this process is no more
     */
    public JobID submit(StreamGraph graph, Duration most) throws Exception {
        JobGraph job = graph.getJobGraph();
        // The first sign of life of a client is due by then, and there will be none.
        job.setInitialClientHeartbeatTimeout(most.toMillis());
        return submit(job);
    }

    private JobID submit(JobGraph job) throws Exception {
        for (Path jar : jars) {
            job.addJar(new org.apache.flink.core.fs.Path(jar.toUri()));
        }
        MinimumSlots.tell(job);
        return client.submitJob(job).get();
    }

    /** Completes when the job has ended, in whatever way. */
    public CompletableFuture<JobResult> result(JobID job) {
        return client.requestJobResult(job);
    }

    /** Asks the job to stop now, keeping nothing; the result tells when it has. */
    public void cancel(JobID job) throws Exception {
        client.cancel(job).get();
    }

    /**
     * Asks the job to save itself and then to end, as at the end of its input. Its result is then FINISHED. Where the
     * savepoint fails the job goes on.
     *
     * @param folder where the savepoint goes: a folder or an address that all machines of the job see
     * @return completes with the savepoint's address when the job has ended
     */
    public CompletableFuture<String> stopWithSavepoint(JobID job, String folder) {
        return client.stopWithSavepoint(job, false, folder, SavepointFormatType.CANONICAL);
    }

    /**
     * What the operators of a job left behind that has ended, also of a cancelled or failed one. From its result, as Flink
     * answers questions for a job from a memory that is some seconds old.
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

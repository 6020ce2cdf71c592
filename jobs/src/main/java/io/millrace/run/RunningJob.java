package io.millrace.run;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.JobDescription;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.util.ExceptionUtils;

/** A running Millrace job on a cluster, with its description, which contains the pipeline and the folder of the run. */
public final class RunningJob {
    /**
     * The longest wait for a savepoint. It is long, because slow storage may delay the savepoint, and training
     * continues until shortly before its end.
     */
    private static final long MOST_SECONDS = 120;

    private final ClusterJob job;
    private final JobDescription description;

    private RunningJob(ClusterJob job, JobDescription description) {
        this.job = job;
        this.description = description;
    }

    /**
     * Finds a running job and reads its description.
     *
     * @param text the job's id, the beginning of the id, or the job's name
     * @throws UsageException when the job has ended or is not a Millrace job
     */
    public static RunningJob of(ClusterRest cluster, String text) throws IOException, InterruptedException {
        ClusterJob job = JobLookup.find(cluster, text);
        if (job.endedAtMillis() != null) {
            throw new UsageException("job " + job.id() + " has ended: it is " + job.state());
        }
        JobDescription description = JobDescription.read(cluster.parameters(job.id()))
                .orElseThrow(
                        () -> new UsageException("job " + job.id() + " (" + job.name() + ") is not one of Millrace's"));
        return new RunningJob(job, description);
    }

    public ClusterJob job() {
        return job;
    }

    public JobDescription description() {
        return description;
    }

    JobID id() {
        return JobID.fromHexString(job.id());
    }

    /** Returns whether the job delivers its batches to clients. Then its place in the run is known to the clients alone. */
    public boolean isServed() {
        return description.consumer() == JobDescription.Consumer.CLIENTS;
    }

    /** Returns the pipeline with changed settings. Its secrets are masked unless the settings contain them. */
    public PipelineConfig pipeline(List<String> settings) throws Exception {
        Path file = Files.createTempFile("millrace", ".yaml");
        try {
            Files.writeString(file, description.pipeline()); // JSON is valid YAML
            PipelineConfig config = ConfigReader.read(file, settings);
            return isServed() ? TransformPlacement.onServers(config) : TransformPlacement.of(config);
        } finally {
            Files.delete(file);
        }
    }

    /**
     * Stops the job with a savepoint, or without one if it delivers to clients.
     *
     * @return the savepoint's address; empty without one
     * @throws IOException when the savepoint fails; the job then continues
     */
    public Optional<String> stop(FlinkJobs jobs) throws Exception {
        if (isServed()) {
            jobs.cancel(id());
            return Optional.empty();
        }
        return Optional.of(save(jobs, pipeline(List.of())));
    }

    /**
     * Stops the job with a savepoint.
     *
     * @return the savepoint's address
     * @throws IOException when the savepoint fails; the job then continues
     */
    String save(FlinkJobs jobs, PipelineConfig config) throws IOException, InterruptedException {
        String savepoints = Checkpointing.location(config.recovery(), Path.of(description.folder()));
        try {
            return jobs.stopWithSavepoint(id(), savepoints).get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("job " + job.id() + " was not saved within " + MOST_SECONDS + " s", e);
        } catch (ExecutionException e) {
            if (ExceptionUtils.findThrowable(e, FlinkJobNotFoundException.class).isPresent()) {
                throw new IOException("job " + job.id() + " ended before it could be saved", e);
            }
            throw new IOException(
                    "job " + job.id() + " could not be saved: " + Failure.of(e).sentence(), e);
        }
    }
}

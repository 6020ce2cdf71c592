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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.util.ExceptionUtils;

/** A running job of ours on a cluster, as far as its card tells: what it runs, and where it saves itself. */
public final class SavedJob {
    /** A job that is held up by slow storage may take its time; nothing trains meanwhile only at the very end. */
    private static final long MOST_SECONDS = 120;

    private final ClusterJob job;
    private final JobDescription card;

    private SavedJob(ClusterJob job, JobDescription card) {
        this.job = job;
        this.card = card;
    }

    /**
     * Reads the card of a job that runs.
     *
     * @throws UsageException when it has ended, or is not ours
     */
    public static SavedJob of(ClusterRest cluster, String text) throws IOException, InterruptedException {
        ClusterJob job = JobLookup.find(cluster, text);
        if (job.endedAtMillis() != null) {
            throw new UsageException("job " + job.id() + " has ended: it is " + job.state());
        }
        JobDescription card = JobDescription.read(cluster.parameters(job.id()))
                .orElseThrow(
                        () -> new UsageException("job " + job.id() + " (" + job.name() + ") is not one of Millrace's"));
        return new SavedJob(job, card);
    }

    public ClusterJob job() {
        return job;
    }

    public JobDescription card() {
        return card;
    }

    JobID id() {
        return JobID.fromHexString(job.id());
    }

    /** Its pipeline with other settings; secrets are masked in it unless these give them. */
    public PipelineConfig pipeline(List<String> settings) throws Exception {
        Path file = Files.createTempFile("millrace", ".yaml");
        try {
            Files.writeString(file, card.pipeline()); // what is JSON is YAML
            return TransformPlacement.of(ConfigReader.read(file, settings));
        } finally {
            Files.delete(file);
        }
    }

    /**
     * Saves it and ends it.
     *
     * @return the savepoint's address
     * @throws IOException when it cannot be saved; it goes on then
     */
    public String stop(FlinkJobs jobs, PipelineConfig config) throws IOException, InterruptedException {
        String savepoints = Checkpointing.location(config.recovery(), Path.of(card.folder()));
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

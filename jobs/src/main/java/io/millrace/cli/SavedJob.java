package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.JobCard;
import io.millrace.pipeline.Placement;
import io.millrace.report.ClusterJob;
import io.millrace.report.ClusterRest;
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
final class SavedJob {
    /** A job that is held up by slow storage may take its time; nothing trains meanwhile only at the very end. */
    private static final long MOST_SECONDS = 120;

    private final ClusterJob job;
    private final JobCard card;

    private SavedJob(ClusterJob job, JobCard card) {
        this.job = job;
        this.card = card;
    }

    /**
     * Reads the card of a job that runs.
     *
     * @throws UsageException when it has ended, or is not ours
     */
    static SavedJob of(ClusterRest cluster, String text) throws IOException, InterruptedException {
        ClusterJob job = JobNamed.find(cluster, text);
        if (job.endedAtMillis() != null) {
            throw new UsageException("job " + job.id() + " has ended: it is " + job.state());
        }
        JobCard card = JobCard.read(cluster.parameters(job.id()))
                .orElseThrow(
                        () -> new UsageException("job " + job.id() + " (" + job.name() + ") is not one of Millrace's"));
        return new SavedJob(job, card);
    }

    ClusterJob job() {
        return job;
    }

    JobCard card() {
        return card;
    }

    JobID id() {
        return JobID.fromHexString(job.id());
    }

    /** Its pipeline with other settings; secrets are masked in it unless these give them. */
    PipelineConfig pipeline(List<String> settings) throws Exception {
        Path file = Files.createTempFile("millrace", ".yaml");
        try {
            Files.writeString(file, card.pipeline()); // what is JSON is YAML
            return Placement.of(ConfigReader.read(file, settings));
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
    String stop(FlinkJobs jobs, PipelineConfig config) throws IOException, InterruptedException {
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

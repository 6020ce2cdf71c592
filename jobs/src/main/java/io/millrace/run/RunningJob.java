package io.millrace.run;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.Checkpointing;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.JobDescription;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.sink.deliver.DeliverEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running Millrace job on a cluster, with its description, which contains the pipeline and the folder of the run.
 *
 * <p>Tested by {@code MaskedSecretsTest} and {@code RunningJobITCase}.
 */
public final class RunningJob {
    private static final Logger LOG = LoggerFactory.getLogger(RunningJob.class);

    /**
     * The longest wait for a savepoint. It is long, because slow storage may delay the savepoint, and training
     * continues until shortly before its end.
     */
    private static final long MOST_SECONDS = 120;

    /** The longest wait for the reports of the sinks of a served job, which write some small files. */
    private static final long MOST_SECONDS_TO_REPORT = 30;

    /** The longest time in which a job whose sinks have reported finishes: its stages end the samples that they hold. */
    private static final long MOST_SECONDS_TO_FINISH = 30;

    /** The longest wait for the result of a job that could not be saved. Flink answers at once for a job that has ended. */
    private static final long MOST_SECONDS_TO_END = 5;

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
     * The end of a job that was stopped.
     *
     * @param savepoint the savepoint's address; empty for a job that delivers to clients
     * @param unreported the reason why the job could not write the summary of its run; empty when it could
     */
    public record Stopped(Optional<String> savepoint, Optional<String> unreported) {}

    /**
     * Stops the job with a savepoint, or without one if it delivers to clients. The job then finishes. Only when its sinks
     * do not run, or rows that a stage holds do not reach them in time, a job that delivers to clients is cancelled.
     *
     * @throws UsageException when the job has ended meanwhile, with or without success
     * @throws IOException when the savepoint fails; the job then continues
     */
    public Stopped stop(FlinkJobs jobs) throws Exception {
        if (isServed()) {
            return new Stopped(Optional.empty(), endDelivery(jobs));
        }
        return new Stopped(Optional.of(save(jobs, pipeline(List.of()))), Optional.empty());
    }

    /** Refuses to save the job at an address without its password, which is another address. */
    static void requireKnown(PipelineConfig config) throws IOException {
        if (config.maskedSecrets().contains("checkpoint.path")) {
            throw new IOException(
                    "the job cannot be saved, because it does not store the password in its checkpoint.path:"
                            + " save it with flink stop --savepointPath, or name the place without a password and set the access keys"
                            + " in the section flink");
        }
    }

    /** Lets the sinks report the run and the job finish, and returns the reason if they could not report it. */
    private Optional<String> endDelivery(FlinkJobs jobs) throws Exception {
        String unasked;
        try {
            DeliverEvents.StopAnswer answer = jobs.endDelivery(id()).get(MOST_SECONDS_TO_REPORT, TimeUnit.SECONDS);
            if (answer.sinks() > 0) {
                finish(jobs);
                return answer.problems().isEmpty()
                        ? Optional.empty()
                        : Optional.of(String.join("; ", answer.problems()));
            }
            unasked = "no sink of the job was running";
        } catch (TimeoutException e) {
            unasked = "its sinks did not answer within " + MOST_SECONDS_TO_REPORT + " s";
        } catch (ExecutionException e) {
            LOG.warn("job {} could not be asked for its report", job.id(), e);
            unasked = "no sink of the job could be asked: " + Failure.of(e).sentence();
        }
        jobs.cancel(id());
        return Optional.of(unasked);
    }

    private void finish(FlinkJobs jobs) throws Exception {
        try {
            jobs.result(id()).get(MOST_SECONDS_TO_FINISH, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.warn("job {} has not finished within {} s, and is cancelled", job.id(), MOST_SECONDS_TO_FINISH);
            jobs.cancel(id());
        }
    }

    /**
     * Stops the job with a savepoint.
     *
     * @return the savepoint's address
     * @throws UsageException when the job has ended meanwhile, with or without success
     * @throws IOException when the savepoint fails; the job then continues
     */
    String save(FlinkJobs jobs, PipelineConfig config) throws IOException, InterruptedException {
        String savepoints = Checkpointing.location(config.recovery(), Path.of(description.folder()))
                .orElseThrow(() ->
                        new IOException("job " + job.id() + " cannot be saved: Flink cannot write to folders whose"
                                + " path has a backslash, such as " + description.folder()));
        requireKnown(config);
        try {
            return jobs.stopWithSavepoint(id(), savepoints).get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("job " + job.id() + " was not saved within " + MOST_SECONDS + " s", e);
        } catch (ExecutionException e) {
            requireGoesOn(jobs);
            throw new IOException(
                    "job " + job.id() + " could not be saved: " + Failure.of(e).sentence(), e);
        }
    }

    /** Throws a UsageException if the job, which could not be saved, has ended. */
    private void requireGoesOn(FlinkJobs jobs) throws InterruptedException {
        JobResult result;
        try {
            result = jobs.result(id()).get(MOST_SECONDS_TO_END, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.info("job {} has no result yet, or Flink does not answer", job.id(), e);
            return;
        }
        throw new UsageException("job " + job.id()
                + (result.isSuccess()
                        ? " has finished by itself before it could be saved"
                        : " has ended before it could be saved: it is "
                                + result.getJobStatus().map(Enum::name).orElse("of unknown state")));
    }
}

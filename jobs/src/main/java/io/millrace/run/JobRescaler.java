package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.Pipeline;
import io.millrace.report.RunFolder;
import io.millrace.rest.ClusterRest;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Changes the parallelism of a running job. If the cluster has the adaptive scheduler and the job has checkpoints,
 * Flink rescales the job as it runs. Otherwise the job is stopped with a savepoint and submitted again. A job that delivers to
 * clients is only rescaled as it runs, and needs no checkpoints.
 */
public final class JobRescaler {
    private final ClusterAddress cluster;
    private final ClusterRest rest;
    private final PrintStream text;
    private final PrintWriter err;

    /** The way in which a job was rescaled. */
    public enum How {
        RESCALED,
        RESUBMITTED
    }

    /**
     * The result of rescaling.
     *
     * @param job the id of the job that continues the run
     * @param pauseSeconds the time without training
     */
    public record Rescaled(How how, String job, double pauseSeconds) {}

    /**
     * Creates a rescaler for the jobs of one cluster.
     *
     * @param text where progress is printed
     * @param err where the reason is printed if the new job has to wait
     */
    public JobRescaler(ClusterAddress cluster, ClusterRest rest, PrintStream text, PrintWriter err) {
        this.cluster = cluster;
        this.rest = rest;
        this.text = text;
        this.err = err;
    }

    /**
     * Changes the job to this configuration.
     *
     * @throws UsageException when the job has to be submitted again and its secrets are missing, or when it delivers to clients
     *     and cannot be rescaled as it runs
     */
    public Rescaled rescale(RunningJob running, PipelineConfig config) throws Exception {
        // Flink rescales from the last checkpoint. Without checkpoints, a job that trains would start from its first
        // step. The
        // clients of a served run ask for their next step.
        boolean restorable = running.job().adaptive()
                && (running.isServed() || config.recovery().checkpoint().isPresent());
        Map<String, Integer> bounds =
                restorable ? rest.tasks(running.job().id()).bounds(Pipeline.stages(config)) : Map.of();
        if (bounds.isEmpty() && running.isServed()) {
            throw new UsageException(refusal(running));
        }
        return bounds.isEmpty()
                ? resubmit(running, config)
                : rescaleLive(running.job().id(), bounds);
    }

    /** Returns the reason why a job with clients cannot be rescaled. Their front door does not follow a job with another id. */
    private static String refusal(RunningJob running) {
        String reason = running.job().adaptive()
                ? "stages that share a task need the same parallelism: expected parallelism=NUMBER"
                : "this cluster cannot change running jobs: expected jobmanager.scheduler: adaptive, as in"
                        + " conf/flink/elastic.yaml";
        return "job " + running.job().id() + " delivers to clients, and " + reason
                + ". Otherwise stop it, and start serve with another parallelism: the clients continue with their next step";
    }

    private Rescaled rescaleLive(String job, Map<String, Integer> bounds) throws Exception {
        TrainingPause pause = TrainingPause.begin(rest, job);
        rest.requireResources(job, bounds);
        return new Rescaled(How.RESCALED, job, pause.end(job));
    }

    private Rescaled resubmit(RunningJob running, PipelineConfig config) throws Exception {
        requireSecrets(config);
        Path summary = running.description()
                .summary()
                .map(Path::of)
                .orElse(Path.of(running.description().folder()).resolve(RunFolder.SUMMARY));
        RunRequest request =
                RunRequest.fresh(config, Optional.of(summary), running.job().startedAtMillis());
        Submission submission = new Submission(request, text, run -> {});
        Submission.Replacement replacement = submission.replace(running, cluster, rest);
        try (SubmittedJob next = replacement.job()) {
            text.println("saved in " + replacement.savepoint());
            next.awaitStart(err);
            return new Rescaled(How.RESUBMITTED, next.id(), replacement.pause().end(next.id()));
        }
    }

    static void requireSecrets(PipelineConfig config) {
        List<String> masked = config.maskedSecrets();
        if (!masked.isEmpty()) {
            throw new UsageException("the job does not store the secrets of its pipeline: set " + masked
                    + " again, for example --set " + masked.get(0) + "=...");
        }
    }
}

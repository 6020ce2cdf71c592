package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.EvaluationBranch;
import io.millrace.pipeline.PipelineException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A request to run a pipeline, as a command line expresses it.
 *
 * @param config the pipeline, with each transform assigned to the servers or the device
 * @param resume the earlier run to continue, if any
 * @param summary the file for the summary; empty for {@code summary.json} in the run's folder
 * @param tracing whether all tasks record a trace
 * @param startedAtMillis the time at which the user started the command, in milliseconds since 1970; the wall time
 *     counts from it
 * @param serving the delivery to clients; empty for a run that trains
 */
public record RunRequest(
        PipelineConfig config,
        ResumeRequest resume,
        Optional<Path> summary,
        Tracing tracing,
        long startedAtMillis,
        Optional<Serving> serving) {
    /** Creates a request for a run that trains. */
    public RunRequest(
            PipelineConfig config,
            ResumeRequest resume,
            Optional<Path> summary,
            Tracing tracing,
            long startedAtMillis) {
        this(config, resume, summary, tracing, startedAtMillis, Optional.empty());
    }

    /** Returns a request for the same run, whose batches go to clients. */
    public RunRequest served(Serving delivery) {
        return new RunRequest(config, resume, summary, tracing, startedAtMillis, Optional.of(delivery));
    }

    /** Returns the evaluation in the job of a served run, if there is one. */
    Optional<ServedEvaluation> evaluation() {
        return serving.flatMap(Serving::evaluation);
    }

    /**
     * Returns the evaluation's part of the job's graph, if there is one.
     *
     * @param run the run of the training, which accepts clients already
     */
    Optional<EvaluationBranch> branch(PreparedRun run) throws IOException, PipelineException {
        return evaluation().isEmpty() ? Optional.empty() : evaluation().get().branch(run);
    }

    /** The choice whether the tasks of a job record a trace. */
    public enum Tracing {
        ON,
        OFF
    }

    /** Creates a request for a run that begins at its first step and records no trace. */
    public static RunRequest fresh(PipelineConfig config, Optional<Path> summary, long startedAtMillis) {
        return new RunRequest(config, ResumeRequest.NONE, summary, Tracing.OFF, startedAtMillis);
    }
}
